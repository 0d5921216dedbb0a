package machine

import (
	"bytes"
	"encoding/json"
	"strings"

	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/state"
)

// declared returns the declaration of a tool that the running inference offers.
func (m *Machine) declared(h *state.Handle, name string) (fsm.ToolDecl, bool) {
	return m.s.Config.Declared(h.Inf.Tools, name)
}

// repeatable returns the declaration of the tool that the call of the answer at n names,
// or false if another start might repeat what the first has done.
func (m *Machine) repeatable(h *state.Handle, n int, nothing bool) (fsm.ToolDecl, bool) {
	decl, ok := m.declared(h, h.Inf.Calls[n].Name)
	return decl, ok && !decl.Builtin && (nothing || decl.Effects.Repeatable())
}

// explained returns why a call of the answer was wrong, with how to call its tool if the
// model has not been shown that (TOL-63).
func (m *Machine) explained(h *state.Handle, why string) string {
	return m.explainedAt(h, h.Inf.Next, why)
}

func (m *Machine) explainedAt(h *state.Handle, n int, why string) string {
	decl, ok := m.declared(h, h.Inf.Calls[n].Name)
	if !ok || !h.Sess.Offer.Made() || h.Sess.Offer.Whole(decl.Name) {
		return why
	}
	return m.word(fsm.WordHelpSchema, "reason", why, "tool", decl.Name, "schema", offer.Schema(m.s.Config.Words, &decl))
}

// resultText returns a tool's answer as the text of a result.
func (m *Machine) resultText(in fsm.ToolAnswered) string {
	if in.Failed {
		return m.word(fsm.WordError, "reason", in.Text)
	}
	return in.Text
}

// ran gives the call at Next, which has run, its result.
func (m *Machine) ran(text string, failed bool) firing {
	return firing{on: state.OnRan, write: func(h *state.Handle) {
		m.ranWith(h, text, failed)
		settle(&h.Inf)
	}}
}

// ranWith gives a call that has run its result and audits it (TOL-9).
func (m *Machine) ranWith(h *state.Handle, text string, failed bool) {
	m.audit(h, text, failed)
	m.result(h, text)
}

// notRun gives the call at Next, which is not started, its result and audits that (TOL-9).
func (m *Machine) notRun(h *state.Handle, text string) {
	if m.s.Config.AuditAll {
		m.record(h, h.Inf.Next, fsm.Audit{Result: text, Failed: true})
	}
	m.result(h, text)
}

// audit records the call at Next, which has been started.
func (m *Machine) audit(h *state.Handle, text string, failed bool) {
	m.record(h, h.Inf.Next, m.auditOf(h, text, failed))
}

func (m *Machine) auditOf(h *state.Handle, text string, failed bool) fsm.Audit {
	return fsm.Audit{
		Key: h.UseKey(h.Inf.Calls[h.Inf.Next]), Result: text, Failed: failed, Attempts: h.Inf.Attempt, Duration: max(m.s.Now-h.Inf.Began, 0), Contained: h.Inf.Contained,
	}
}

// result adds the result of the call at Next to the conversation, and remembers the
// pair. One that was not run counts as a repetition, too (INF-21).
func (m *Machine) result(h *state.Handle, text string) {
	c := h.Inf.Calls[h.Inf.Next]
	x := fsm.NewHasher(0)
	x.Str(c.Name)
	x.Str(c.Args)
	x.Str(text)
	msg := fsm.Message{Role: fsm.RoleTool, Text: text, Tool: c.Name, ToolCall: c.ID, Part: h.Inf.Shows}
	if m.repeated(h, text) {
		m.say(h, msg)
		return
	}
	if keep := cycleMax * m.s.Config.Limits.MaxRepeats; len(h.Inf.Seen) >= keep {
		h.Inf.Seen = append([]uint64(nil), h.Inf.Seen[len(h.Inf.Seen)-keep+1:]...)
	}
	h.Inf.Seen = append(h.Inf.Seen, x.Sum())
	m.say(h, msg)
}

// settle goes on to the next call.
func settle(inf *state.Inference) {
	inf.Next++
	inf.Attempt, inf.Nothing, inf.Probed, inf.Works, inf.Cleared = 0, false, false, false, false
	inf.Told, inf.Shows, inf.Contained = "", fsm.Part{}, ""
	inf.Asked, inf.Why = false, ""
}

// arguments reads the arguments of the call at Next into v, or returns what is wrong.
func (m *Machine) arguments(h *state.Handle, v any) string {
	args := h.Inf.Calls[h.Inf.Next].Args
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	switch { // in our own words: the library's may change, and a replay would differ
	case !json.Valid([]byte(args)):
		return m.word(fsm.WordArgumentsNoJSON)
	case json.Unmarshal([]byte(args), v) != nil:
		return m.word(fsm.WordArgumentsNoFit)
	default:
		return ""
	}
}

// sharedResult returns the result of an equal call of the same answer, if the call at Next
// is of a tool without effects (INF-42). The results of an answer are the last messages of
// the conversation.
func (m *Machine) sharedResult(h *state.Handle, decl *fsm.ToolDecl) (string, bool) {
	if !m.shared(decl) {
		return "", false
	}
	first, ok := firstEqual(h, h.Inf.Next)
	if !ok {
		return "", false
	}
	earlier := earlierResult(h, first)
	h.Inf.Shows = earlier.Part
	return earlier.Text, true
}

// shared reports whether equal calls of a tool in one answer share one result (INF-42).
func (m *Machine) shared(decl *fsm.ToolDecl) bool {
	return m.s.Config.Switches.Reading == fsm.ReadingCareful && !decl.Builtin && !decl.Approve && len(decl.Rules) == 0 && decl.Effects == fsm.EffectsNone
}

// repeated reports whether a result is that of an equal call of the same answer, so that the
// model, which had not seen it, repeats nothing. Up to the fifth edition only the first such
// call counted.
func (m *Machine) repeated(h *state.Handle, text string) bool {
	if m.s.Config.Switches.Reading != fsm.ReadingCareful {
		return false
	}
	first, ok := firstEqual(h, h.Inf.Next)
	if m.s.Config.Edition < fsm.SixthEdition {
		return ok && earlierResult(h, first).Text == text
	}
	for n := first; ok && n < h.Inf.Next; n++ {
		if equalCalls(h, n, h.Inf.Next) && earlierResult(h, n).Text == text {
			return true
		}
	}
	return false
}

// firstEqual returns the first call of the answer before n that is equal to the one at n,
// or false.
func firstEqual(h *state.Handle, n int) (int, bool) {
	for i := range n {
		if equalCalls(h, i, n) {
			return i, true
		}
	}
	return 0, false
}

// equalCalls reports whether two calls of the answer are equal.
func equalCalls(h *state.Handle, i, k int) bool {
	a, b := &h.Inf.Calls[i], &h.Inf.Calls[k]
	return a.Name == b.Name && sameArguments(a.Args, b.Args)
}

// earlierResult returns the result of a call of the answer before the one at Next.
func earlierResult(h *state.Handle, call int) fsm.Message {
	messages := h.Inf.Talk.Messages
	return messages[len(messages)-h.Inf.Next+call]
}

// sameArguments reports whether two calls have the same arguments, apart from blanks.
func sameArguments(a, b string) bool {
	if a == b {
		return true
	}
	var first, second bytes.Buffer
	return json.Compact(&first, []byte(a)) == nil && json.Compact(&second, []byte(b)) == nil && bytes.Equal(first.Bytes(), second.Bytes())
}
