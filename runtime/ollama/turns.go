package ollama

import (
	"fmt"
	"slices"

	"shelly/fsm"
)

// inTurns returns a conversation as the strictest templates want it (BRN-46): one system message, at
// its beginning, then the user and the assistant by turns, results where a call was, and calls with
// ids of nine digits. A conversation that begins with an answer has a summary before it, which is
// then the user's. What is joined or renamed depends only on what comes before it, so the form of a
// conversation that grows is one that grows.
func inTurns(messages []fsm.Message) []fsm.Message {
	var out []fsm.Message
	ids := callIDs{}
	begin := slices.IndexFunc(messages, func(m fsm.Message) bool { return m.Role != fsm.RoleSystem })
	for i, m := range messages {
		if i > 0 && i == begin-1 && messages[begin].Role != fsm.RoleUser {
			m.Role = fsm.RoleUser
		}
		ids.rename(&m)
		if len(out) == 0 {
			out = append(out, m)
			continue
		}
		last := &out[len(out)-1]
		if m.Role == fsm.RoleSystem && last.Role != fsm.RoleSystem {
			m.Role = fsm.RoleUser
		}
		switch {
		case m.Role == last.Role && m.Role != fsm.RoleTool && len(last.Calls) == 0, m.Role == fsm.RoleUser && last.Role == fsm.RoleTool:
			last.Text, last.Thinking = paragraphs(last.Text, m.Text), paragraphs(last.Thinking, m.Thinking)
			last.Calls, last.Images = m.Calls, slices.Concat(last.Images, m.Images)
		default:
			out = append(out, m)
		}
	}
	return out
}

func paragraphs(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// callIDs is how the calls of a conversation are renamed: how many there were, and the new ids of
// the newest that have no result yet.
type callIDs struct {
	calls int
	open  []renamed
}

type renamed struct{ was, is string }

// rename gives the calls or the result in a message their new ids. A result without an id, or with
// one that no call has, is the next call's.
func (c *callIDs) rename(m *fsm.Message) {
	if len(m.Calls) > 0 {
		m.Calls, c.open = slices.Clone(m.Calls), nil
	}
	for i := range m.Calls {
		c.calls++
		id := fmt.Sprintf("%09d", c.calls)
		c.open = append(c.open, renamed{m.Calls[i].ID, id})
		m.Calls[i].ID = id
	}
	if m.Role != fsm.RoleTool || len(c.open) == 0 {
		return
	}
	i := max(0, slices.IndexFunc(c.open, func(r renamed) bool { return r.was == m.ToolCall }))
	m.ToolCall = c.open[i].is
	c.open = slices.Delete(c.open, i, i+1)
}
