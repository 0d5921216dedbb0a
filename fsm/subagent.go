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
	if bad := h.arguments(&args); bad != "" {
		return bad, false
	}
	if strings.TrimSpace(args.Task) == "" {
		return "missing argument: task", false
	}
	if n := m.count(KindSubagent); n >= m.s.Config.Limits.MaxSubagents {
		return "not started: " + strconv.Itoa(n) + " subagents are at work already (max_subagents)", false
	}
	label := args.Label
	if label == "" {
		label = clip(args.Task, 40)
	}
	child := Handle{Kind: KindSubagent, Parent: h.ID, Home: h.Session, Origin: h.Origin, Input: args.Task, Label: label}
	id := m.admit(child)
	c := &m.s.Handles[m.indexOf(id)]
	c.Session = "subagent:" + id.entry()
	return "Subagent '" + label + "' started (" + id.entry() + "). Its result will be reported here when it is done.", true
}

// reportSubagent tells the session that started a subagent of its end (HND-40).
func (m *Machine) reportSubagent(h Handle) {
	said := "Result:\n" + h.Answer
	word := "has finished"
	if h.Failure != "" {
		said, word = "Error: "+h.Failure, "has failed"
	}
	m.admit(Handle{
		Kind: KindSystem, Session: h.Home, Origin: h.Origin,
		Input: "Subagent '" + h.Label + "' " + word + ".\n\nTask: " + h.Input + "\n\n" + said +
			"\n\nTell the person about it in a sentence or two.",
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
