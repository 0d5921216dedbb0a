package talk

import (
	"fmt"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// refuse has the line be the reason of the refusal of a turn's question (APR-23).
func (m *Model) refuse(t *turn) {
	if m.now.Sub(t.opened) >= restAfter {
		m.because = t.open.Key
	}
}

// refusing reports whether the line is the reason of a refusal, and its question is still open.
func (m *Model) refusing() bool {
	t := m.asking()
	return t != nil && m.because == t.open.Key
}

// reason refuses the open question with a reason, or without if it is empty. If the question is no
// longer open, the line stays, so that it is not sent as a request unless the person wants that.
func (m *Model) reason(text string) []Effect {
	switch {
	case !m.refusing():
		m.because = ""
		m.tell("that question is no longer open; enter sends the line as a message")
		return nil
	case len(text) > comm.ReasonBytesMax:
		m.tell(fmt.Sprintf("a reason has at most %d bytes", comm.ReasonBytesMax))
		return nil
	}
	m.because = ""
	m.edit.Clear()
	m.menu = menu{}
	return m.answer(m.asking(), client.Decision{Reason: text})
}

// unsaid gives the person the reason back of a refusal that did not arrive.
func (m *Model) unsaid(d Decided) {
	if d.Reason != "" && m.edit.Empty() {
		m.edit.Set(d.Reason)
		m.because = d.Key
	}
}
