package fsm

import (
	"strconv"
	"strings"
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
		return m.word(WordMissingArgument, "argument", "task"), false
	}
	if n := m.count(KindSubagent); n >= m.s.Config.Limits.MaxSubagents {
		return m.word(WordSpawnFull, "subagents", strconv.Itoa(n)), false
	}
	label := args.Label
	if label == "" {
		label = clip(args.Task, 40)
	}
	child := Handle{Kind: KindSubagent, Parent: h.ID, Home: h.Session, Origin: h.Origin, Input: args.Task, Label: label}
	id := m.admit(child)
	c := &m.s.Handles[m.indexOf(id)]
	c.Session = "subagent:" + id.entry()
	return m.word(WordSpawned, "label", label, "subagent", id.entry()), true
}

// reportSubagent tells the session that started a subagent of its end (HND-40).
func (m *Machine) reportSubagent(h *Handle) {
	input := m.word(WordSubagentDone, "label", h.Label, "task", h.Input, "result", h.Answer)
	if h.Failure != "" {
		input = m.word(WordSubagentFailed, "label", h.Label, "task", h.Input, "reason", h.Failure)
	}
	m.admit(Handle{
		Kind: KindSystem, Session: h.Home, Origin: h.Origin,
		Input: input,
	})
}

// count returns how many unfinished handles of a kind there are.
func (m *Machine) count(kind Kind) int {
	n := 0
	for i := range m.s.Handles {
		if m.s.Handles[i].Kind == kind {
			n++
		}
	}
	return n
}
