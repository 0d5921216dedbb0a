package acp

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/runtime/session"
)

// Past repeats what was said in a session, message after message (FRT-48). The zero values of
// the other fields are ready.
type Past struct {
	Session string
	Place   Place
	waiting []*call // calls without a result yet
	calls   int
}

// Heard takes the next message of the archive, and returns its updates.
func (p *Past) Heard(m session.Archived) (updates []Update) {
	id := fmt.Sprintf("%s-%d", p.Session, m.Number)
	switch m.Message.Role {
	case fsm.RoleUser:
		if m.Message.Aside {
			return nil
		}
		return asked(id, m.Message.Text, m.Message.Images, p.Place)
	case fsm.RoleAssistant:
		return p.answer(id, m.Message)
	case fsm.RoleTool:
		for i, c := range p.waiting {
			if c.key == m.Message.ToolCall && c.tool == m.Message.Tool {
				p.waiting = append(p.waiting[:i:i], p.waiting[i+1:]...)
				if vain(m.Message.Text) {
					return []Update{update(c, failed, shown(m.Message.Text)...)}
				}
				if changes(c.tool) {
					return []Update{update(c, completed, p.Place.changed(c, m.Message.Text, false)...)}
				}
				return []Update{update(c, completed, shown(m.Message.Text)...)}
			}
		}
	}
	return nil
}

// vain reports whether a call's result says that it failed or did not run. The archive has only the words
// that the model was told.
func vain(result string) bool {
	w := fsm.PresentWords()
	for _, says := range []fsm.Word{fsm.WordError, fsm.WordNotRun, fsm.WordNotRunCancelled} {
		if strings.HasPrefix(result, w.Text(says, "reason", "")) {
			return true
		}
	}
	return false
}

// answer returns the updates for a message of the model: its text and its calls.
func (p *Past) answer(id string, m fsm.Message) (updates []Update) {
	if m.Thinking != "" {
		updates = append(updates, message(agentThought, id+"-thought", m.Thinking))
	}
	if m.Text != "" {
		updates = append(updates, message(agentMessage, id, m.Text))
	}
	t := Turn{place: p.Place}
	for _, asked := range m.Calls {
		p.calls++
		c := &call{id: fmt.Sprintf("%s-call-%d", p.Session, p.calls), tool: asked.Name, args: asked.Args, key: asked.ID}
		p.waiting = append(p.waiting, c)
		updates = append(updates, t.whole(c, pending))
	}
	return updates
}

// End ends the calls that never got a result.
func (p *Past) End() (updates []Update) {
	for _, c := range p.waiting {
		updates = append(updates, update(c, failed))
	}
	p.waiting = nil
	return updates
}
