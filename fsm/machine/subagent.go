package machine

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// spawn starts a subagent in this step (HND-39).
func (m *Machine) spawn(i int) (string, bool) {
	h := &m.s.Handles[i]
	var args struct {
		Task  string `json:"task"`
		Label string `json:"label"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	if strings.TrimSpace(args.Task) == "" {
		return m.word(fsm.WordMissingArgument, "argument", "task"), false
	}
	if n := m.s.Count(fsm.KindSubagent); n >= m.s.Config.Limits.MaxSubagents {
		return m.word(fsm.WordSpawnFull, "subagents", strconv.Itoa(n)), false
	}
	label := args.Label
	if label == "" {
		label = fsm.Clip(args.Task, 40)
	}
	child := state.Handle{Kind: fsm.KindSubagent, Parent: h.ID, Home: h.Session, Origin: h.Origin, Input: args.Task, Label: label}
	id := m.admit(child)
	c := &m.s.Handles[m.s.IndexOf(id)]
	c.Session = "subagent:" + id.Entry()
	return m.word(fsm.WordSpawned, "label", label, "subagent", id.Entry()), true
}

// reportSubagent tells the session that started a subagent of its end (HND-40).
func (m *Machine) reportSubagent(h *state.Handle) {
	input := m.word(fsm.WordSubagentDone, "label", h.Label, "task", h.Input, "result", h.Answer)
	if h.Failure != "" {
		input = m.word(fsm.WordSubagentFailed, "label", h.Label, "task", h.Input, "reason", h.Failure)
	}
	m.admit(state.Handle{
		Kind: fsm.KindSystem, Session: h.Home, Origin: h.Origin,
		Input: input,
	})
}
