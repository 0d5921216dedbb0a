package turn

import (
	"slices"

	"shelly/fsm"
)

// Summary returns the message that stands for what a compaction left out (CTX-5). A history
// that keeps what was sent has it as the machine's own: templates put each system message
// before the tools, which the model's server would then read again.
func Summary(c *fsm.Config, text string, source fsm.Source) fsm.Message {
	if keepsSent(c) && c.Edition >= fsm.EighthEdition {
		return fsm.Message{Role: fsm.RoleUser, Text: text, Aside: true, Source: source}
	}
	return fsm.Message{Role: fsm.RoleSystem, Text: text, Source: source}
}

// recorded returns a history as a record: its summary stays, although it was the machine's own.
func recorded(c *fsm.Config, history []fsm.Message) []fsm.Message {
	if c.Summed(history) && history[0].Aside {
		history = slices.Clone(history)
		history[0].Role, history[0].Aside = fsm.RoleSystem, false
	}
	return c.Words.Stripped(history)
}
