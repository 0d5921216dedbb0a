package trace

import (
	"fmt"
	"sort"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// basesMax is how many of the latest questions a new one is held against.
const basesMax = 8

// question is one that the model was asked before.
type question struct {
	ask, step int
	system    string
	talk      fsm.Conversation
}

// sent tells what the model is sent, by reference to the earlier question with which it
// has most in common.
func (b *Builder) sent(e fsm.AskBrain, step int) *Sent {
	b.asked++
	out := &Sent{Ask: b.asked, Tokens: e.Tokens}
	for i := len(b.asks) - 1; i >= 0; i-- {
		if same := b.asks[i].common(e); same > out.Kept {
			out.Base, out.BaseStep, out.Kept = b.asks[i].ask, b.asks[i].step, same
		}
	}
	for _, m := range e.Messages()[out.Kept:] {
		out.Messages = append(out.Messages, b.message(m))
	}
	if len(b.asks) == basesMax {
		b.asks = append(b.asks[:0], b.asks[1:]...)
	}
	b.asks = append(b.asks, question{b.asked, step, e.System, e.Conversation})
	return out
}

// common is how many messages, from the first on, two questions share. A conversation has a
// running hash at each message, so that no text is compared but the system prompt.
func (q *question) common(e fsm.AskBrain) int {
	if q.system != e.System {
		return 0
	}
	n := min(len(q.talk.Messages), len(e.Conversation.Messages))
	same := sort.Search(n, func(i int) bool { return q.talk.HashAt(i+1) != e.Conversation.HashAt(i+1) })
	if e.System != "" {
		same++
	}
	return same
}

func (b *Builder) message(m fsm.Message) Message {
	out := Message{
		Role: string(m.Role), Text: b.cut(m.Text), Thinking: b.cut(m.Thinking), Tool: m.Tool, Images: len(m.Images), Sources: m.Source.Names(),
	}
	for _, c := range m.Calls {
		out.Calls = append(out.Calls, Field{c.Name, b.cut(c.Args)})
	}
	return out
}

// Words tells on one line what was sent: how many messages of which earlier question are
// the same, and how many follow.
func (s *Sent) Words() string {
	if s.Base == 0 {
		return wording.Count(len(s.Messages), "message")
	}
	words := fmt.Sprintf("%s as in step %d", wording.Count(s.Kept, "message"), s.BaseStep)
	if len(s.Messages) > 0 {
		words += fmt.Sprintf(", then %d more", len(s.Messages))
	}
	return words
}
