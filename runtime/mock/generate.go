package mock

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
)

// generateRequest is the part of a generate request that the server reads.
type generateRequest struct {
	Model    string   `json:"model"`
	Prompt   string   `json:"prompt"`
	Suffix   string   `json:"suffix"`
	System   string   `json:"system"`
	Template string   `json:"template"`
	Raw      bool     `json:"raw"`
	Context  []int    `json:"context"`
	Images   [][]byte `json:"images"`
	asked
}

// generate answers as chat does, taking the prompt as a user message after the conversation in the
// context.
func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	var req generateRequest
	if !decode(w, r, &req, new(api.GenerateRequest)) {
		return
	}
	if unnamed(w, req.Model) {
		return
	}
	m, ok := s.speaking(w, req.Model, "generate")
	if !ok {
		return
	}
	if req.Raw && (req.System != "" || req.Template != "" || len(req.Context) > 0) {
		refuse(w, http.StatusBadRequest, "raw mode does not support template, system, or context")
		return
	}
	if req.Suffix != "" {
		refuse(w, http.StatusBadRequest, "registry.ollama.ai/library/"+full(m.Name)+" does not support insert")
		return
	}
	chat := chatRequest{Model: req.Model, asked: req.asked}
	if req.Prompt == "" {
		s.onlyLoad(w, r, m, &chat, generateForm{})
		return
	}
	chat.Messages = said(req.Context)
	if req.System != "" {
		chat.Messages = append([]chatMessage{{Role: string(fsm.RoleSystem), Content: req.System}}, chat.Messages...)
	}
	chat.Messages = append(chat.Messages, chatMessage{Role: string(fsm.RoleUser), Content: req.Prompt, Images: req.Images})
	s.answer(w, r, m, &chat, generateForm{raw: req.Raw})
}

// generated is one line of a generation.
type generated struct {
	Model      string    `json:"model"`
	CreatedAt  time.Time `json:"created_at"`
	Response   string    `json:"response"`
	Thinking   string    `json:"thinking,omitempty"`
	Done       bool      `json:"done"`
	DoneReason string    `json:"done_reason,omitempty"`
	Context    []int     `json:"context,omitempty"`
	*counts
}

// generateForm is the form of /api/generate.
type generateForm struct{ raw bool } // raw: without a context

func (f generateForm) line(s *speaker, m spoken, end *ending) any {
	l := generated{Model: s.model, CreatedAt: time.Now().UTC(), Response: m.Content + written(m.ToolCalls), Thinking: m.Thinking}
	if end == nil {
		return l
	}
	l.Done, l.DoneReason, l.counts = true, end.reason, end.counts
	if !f.raw && s.asked != nil {
		l.Context = kept(append(s.asked.Messages, chatMessage{Role: string(fsm.RoleAssistant), Content: end.text}))
	}
	return l
}

// written returns calls as text, as a model writes them that was offered no tools.
func written(calls []call) string {
	text := ""
	for _, c := range calls {
		text += "<tool_call>\n" + `{"name":` + string(encodeWord(c.Function.Name)) + `,"arguments":` + string(c.Function.Arguments) + "}\n</tool_call>"
	}
	return text
}

// A context is the tokens of a conversation. The mock's are the bytes of its turns as JSON, so that
// a client that sends a context back continues that conversation.

// turn is a message in a context.
type turn struct{ Role, Text string }

func kept(messages []chatMessage) []int {
	var turns []turn
	for _, m := range messages {
		if m.Role != string(fsm.RoleSystem) {
			turns = append(turns, turn{m.Role, m.Content})
		}
	}
	var context []int
	for _, b := range encode(turns) {
		context = append(context, int(b))
	}
	return context
}

// said returns the conversation in a context; none if the context is not the mock's.
func said(context []int) []chatMessage {
	text := make([]byte, 0, len(context))
	for _, b := range context {
		text = append(text, byte(b))
	}
	var turns []turn
	if json.Unmarshal(text, &turns) != nil {
		return nil
	}
	var messages []chatMessage
	for _, t := range turns {
		messages = append(messages, chatMessage{Role: t.Role, Content: t.Text})
	}
	return messages
}
