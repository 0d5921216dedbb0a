package turn

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// Begun returns the history that a turn begins with: what the session keeps, and what was
// said in its chat from outside since (SES-23). Of the session of an event or a schedule it
// has only the newest turns, unless the model's server holds the whole of it (SES-24).
func Begun(c *fsm.Config, h *state.Handle, kept []fsm.Message, said []state.Said, held bool) []fsm.Message {
	history := Settled(c, kept)
	if !Hears(c) || h.Compacts {
		return history
	}
	if c.Fits() && h.Impersonal() && !held {
		history = newest(history, c.Limits.ContextTokens/state.RecentShare)
	}
	return Heard(c, history, said)
}

// Heard returns a history with what was said after it.
func Heard(c *fsm.Config, history []fsm.Message, said []state.Said) []fsm.Message {
	for _, one := range said {
		history = slices.Concat(history, []fsm.Message{around(c, one, len(history) > 0), {Role: fsm.RoleAssistant, Text: one.Text, Source: one.Source}})
	}
	return history
}

// Hears reports whether what is said in a session's chat from outside becomes part of its
// conversation (SES-23).
func Hears(c *fsm.Config) bool { return keepsSent(c) && c.Edition >= fsm.FourteenthEdition }

// newest returns as many of the newest turns as have at most the given tokens, or all.
func newest(history []fsm.Message, tokens int) []fsm.Message {
	from := len(history)
	for i := len(history) - 1; i >= 0; i-- {
		if tokens -= fsm.MessageTokens(history[i]); tokens < 0 {
			return append([]fsm.Message(nil), history[from:]...) // nil if none: so it is after a restart, too
		}
		if history[i].Begins() {
			from = i
		}
	}
	return history
}

// around returns the machine's message before one that came from outside. Only at the
// beginning of a conversation does it begin a turn, where it would count as a summary.
func around(c *fsm.Config, said state.Said, aside bool) fsm.Message {
	word := fsm.WordSaidElsewhere
	if said.From != "" {
		word = fsm.WordSaidBy
	}
	text := c.Words.Text(word, "time", stamp(c, said.At), "from", said.From, "about", said.About)
	return fsm.Message{Role: fsm.RoleUser, Text: text, Aside: aside, Source: said.Asked | fsm.FromOperator}
}
