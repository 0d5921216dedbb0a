package stream

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

// ReplyCall stands for the call of a text that is known only from the reply.
const ReplyCall = fsm.CallID(1<<63 - 1)

// Piece is a part of an answer's text, as it is sent to a client.
type Piece struct {
	Call     fsm.CallID // of the model
	From     int        // the offset in the call's text at which Text begins, in bytes
	Text     string
	Thinking string
	Begins   bool   // it is the call's first
	Ends     bool   // it is the call's last; the text may be empty
	Lost     bool   // with Ends: what was sent of it is in no record, because the model was asked again
	Said     string // with Ends: all that was sent of the call
}

// Text splits the text of an answer into pieces, and knows which were sent. The zero value is
// ready.
type Text struct {
	call    fsm.CallID
	open    bool // a call is being sent
	gap     bool // a piece of the call was missed
	said    string
	thought string
	before  []string // the whole texts of the calls before it
}

// Heard returns the pieces that an event adds, in order.
func (t *Text) Heard(e comm.Event) []Piece {
	switch e.Type {
	case comm.EventChunk:
		return t.chunk(e)
	case comm.EventTool, comm.EventQuestion: // the text comes with tool calls
		if t.open {
			return []Piece{t.end(Piece{Lost: t.gap})}
		}
	case comm.EventReply:
		return t.reply(e)
	}
	return nil
}

// chunk adds a chunk of a model call. If an earlier chunk is missing, the rest comes with the
// reply.
func (t *Text) chunk(e comm.Event) (pieces []Piece) {
	text, thinking, from := e.Text, e.Thinking, e.From
	if again := e.Whole && !strings.HasPrefix(text, t.said); t.open && (e.Call != t.call || again) { // again: the same call says something else
		pieces = append(pieces, t.end(Piece{Lost: true}))
	}
	begins := !t.open
	if begins {
		*t = Text{call: e.Call, open: true, before: t.before}
	}
	if e.Whole {
		from, text, thinking = len(t.said), text[len(t.said):], strings.TrimPrefix(thinking, t.thought)
	}
	t.gap = t.gap || from > len(t.said)
	if from != len(t.said) {
		text = ""
	}
	if text == "" && thinking == "" {
		if begins {
			t.open = false
		}
		return pieces
	}
	t.said += text
	t.thought += thinking
	return append(pieces, Piece{Call: t.call, From: from, Text: text, Thinking: thinking, Begins: begins})
}

// end ends the call that is being sent.
func (t *Text) end(p Piece) Piece {
	p.Call, p.From, p.Ends, p.Said = t.call, len(t.said), true, t.said+p.Text
	t.open = false
	if !p.Lost {
		t.Told(p.Said)
	}
	return p
}

// Told adds the whole text of a call that was sent otherwise.
func (t *Text) Told(text string) { t.before = append(t.before, text) }

// Added returns what a reply adds to texts that it repeats: the reply of a request that ends without its
// answer is all that the model has said so far, and why it ends (INF-19). Added is false if it repeats none.
func Added(reply comm.Event, texts ...string) (rest string, added bool) {
	if reply.Outcome != fsm.OutcomeCut && reply.Outcome != fsm.OutcomeExhausted {
		return "", false
	}
	var said []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			said = append(said, text)
		}
	}
	rest, is := strings.CutPrefix(reply.Text, strings.Join(said, "\n"))
	return rest, is && len(said) > 0
}

// Stop ends what is open when a request ends without an answer; open is false if nothing is.
func (t *Text) Stop() (p Piece, open bool) {
	if !t.open {
		return p, false
	}
	return t.end(Piece{Lost: true}), true
}

// reply ends the answer: with nothing if all its text was sent, with the rest if its beginning
// was sent, else with the whole reply as a new text.
func (t *Text) reply(e comm.Event) (pieces []Piece) {
	rest, added := Added(e, append(slices.Clip(t.before), t.said)...)
	switch {
	case t.open && added:
		return []Piece{t.end(Piece{Text: rest})}
	case t.open && strings.HasPrefix(e.Text, t.said):
		return []Piece{t.end(Piece{Text: e.Text[len(t.said):]})}
	case t.open && strings.TrimSpace(e.Text) == strings.TrimSpace(t.said):
		return []Piece{t.end(Piece{})}
	case t.open:
		pieces = append(pieces, t.end(Piece{Lost: true}))
	}
	text := e.Text
	if rest, added := Added(e, t.before...); added {
		text = strings.TrimSpace(rest)
	}
	return append(pieces, Piece{Call: ReplyCall, Text: text, Begins: true, Ends: true, Said: text})
}

// Decided returns the note that says how a question has ended (FRT-12); "": the event ends none.
func Decided(e comm.Event) string {
	if e.Decision == nil {
		return ""
	}
	return "\n[" + e.Decision.Words() + "]\n"
}

// Asked returns the note that the request waits for a person, and how that person decides: a
// client that only reads an answer cannot be asked (FRT-12).
func Asked(key fsm.RequestKey, e comm.Event) string {
	if e.Question == fsm.QuestionApprove {
		why := ""
		if e.Text != "" {
			why = " (" + wording.Visible(e.Text) + ")"
		}
		return fmt.Sprintf("\n[shelly waits for approval of %s %s%s: shelly request approve %s]\n", e.Tool, wording.Visible(e.Args), why, wording.ShellArgument(key.ID, "--channel", key.Channel))
	}
	return fmt.Sprintf("\n[shelly waits for a person: shelly request show %s]\n", wording.ShellArgument(key.ID, "--channel", key.Channel))
}
