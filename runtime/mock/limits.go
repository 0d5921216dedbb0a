package mock

import (
	"sort"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/server"
)

// tokens estimates the tokens of a conversation as its template renders it with the tools.
func (r *chatRequest) tokens() int { return server.Tokens(r.rendered()) }

// rendered returns the prompt in the way that most models' templates render it.
func (r *chatRequest) rendered() string {
	var messages []fsm.Message
	for _, m := range r.Messages {
		messages = append(messages, m.message())
	}
	var tools []fsm.ToolDecl
	for _, t := range r.Tools {
		f := t.Function
		tools = append(tools, fsm.ToolDecl{Name: f.Name, Description: f.Description, Parameters: string(f.Parameters)})
	}
	return server.Render(messages, tools)
}

// fit returns how many messages the window has no room for, and the request without them. Like a
// real server it drops the oldest messages other than system messages, but never the last one: if
// that is still too long, it is cut to the window.
func (r *chatRequest) fit(numCtx int) (dropped int, left *chatRequest) {
	may := 0
	for i, m := range r.Messages {
		if i < len(r.Messages)-1 && m.Role != string(fsm.RoleSystem) {
			may++
		}
	}
	dropped = sort.Search(may, func(n int) bool { return r.without(n).tokens() <= numCtx })
	return dropped, r.without(dropped)
}

// without returns the request without the n oldest messages other than system messages.
func (r *chatRequest) without(n int) *chatRequest {
	left := *r
	left.Messages = nil
	for _, m := range r.Messages {
		if n > 0 && m.Role != string(fsm.RoleSystem) {
			n--
			continue
		}
		left.Messages = append(left.Messages, m)
	}
	return &left
}

// room returns how many tokens an answer may have; 0: any number. A window that may not slide
// limits it too.
func room(opt api.Options, numCtx, prompt int, shift *bool) int {
	n := max(opt.NumPredict, 0)
	if shift != nil && !*shift {
		if left := max(numCtx-prompt, 1); n == 0 || left < n {
			n = left
		}
	}
	return n
}

// cut returns the first room tokens of the answer, unless the brain itself cut it. Calls that do
// not fit are not sent.
func (a Answer) cut(room int) Answer {
	if room == 0 || a.Length || tokens(a) <= room {
		return a
	}
	left := room * bytesPerToken
	var pieces []Piece
	for _, p := range a.pieces() {
		pieces = append(pieces, Piece{Thinking: head(p.Thinking, &left), Text: head(p.Text, &left)})
	}
	a.Thinking, a.Text = "", ""
	for _, p := range pieces {
		a.Thinking += p.Thinking
		a.Text += p.Text
	}
	a.Pieces, a.Calls, a.Length, a.tokens = pieces, nil, true, room
	return a
}

// head returns the beginning of a text, at most *left bytes, and subtracts its length from *left.
func head(text string, left *int) string {
	part := wording.Edge(text, *left)
	if *left -= len(part); len(part) < len(text) {
		*left = 0
	}
	return part
}

// thoughtful returns the answer, without its thinking if thinks is false.
func (a Answer) thoughtful(thinks bool) Answer {
	if thinks {
		return a
	}
	var pieces []Piece
	for _, p := range a.pieces() {
		pieces = append(pieces, Piece{Text: p.Text})
	}
	a.Thinking, a.Pieces = "", pieces
	return a
}

// bytesPerToken is a rule of thumb for English text.
const bytesPerToken = 4

// tokens estimates the tokens of an answer.
func tokens(a Answer) int {
	if a.tokens > 0 {
		return a.tokens
	}
	n := len(a.Text) + len(a.Thinking)
	for _, c := range a.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n/bytesPerToken + 1
}
