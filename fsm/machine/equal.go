package machine

import (
	"bytes"
	"encoding/json"

	"shelly/fsm"
	"shelly/fsm/state"
)

// sharedResult returns the result of an equal call of the same answer, where the call at
// Next is of a tool without effects (INF-42). The results of an answer stand one after
// another at the end of the conversation.
func (m *Machine) sharedResult(h *state.Handle, decl *fsm.ToolDecl) (string, bool) {
	if m.s.Config.Switches.Reading != fsm.ReadingCareful || decl.Builtin || decl.Approve || decl.Effects != fsm.EffectsNone {
		return "", false
	}
	first, ok := firstEqual(h)
	if !ok {
		return "", false
	}
	return earlierResult(h, first), true
}

// repeated reports whether a result is that of an equal call of the same answer, so that the
// model, which had not seen it, repeats nothing.
func (m *Machine) repeated(h *state.Handle, text string) bool {
	if m.s.Config.Switches.Reading != fsm.ReadingCareful {
		return false
	}
	first, ok := firstEqual(h)
	return ok && earlierResult(h, first) == text
}

// firstEqual returns the first call of the answer that is equal to the one at Next.
func firstEqual(h *state.Handle) (int, bool) {
	c := h.Inf.Calls[h.Inf.Next]
	for i, e := range h.Inf.Calls[:h.Inf.Next] {
		if e.Name == c.Name && sameArguments(e.Args, c.Args) {
			return i, true
		}
	}
	return 0, false
}

// earlierResult is the result of a call of the answer before the one at Next.
func earlierResult(h *state.Handle, call int) string {
	messages := h.Inf.Talk.Messages
	return messages[len(messages)-h.Inf.Next+call].Text
}

// sameArguments reports whether two calls are given the same, blanks aside.
func sameArguments(a, b string) bool {
	if a == b {
		return true
	}
	var first, second bytes.Buffer
	return json.Compact(&first, []byte(a)) == nil && json.Compact(&second, []byte(b)) == nil && bytes.Equal(first.Bytes(), second.Bytes())
}
