package sim

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/server"
)

// What the least is does not depend on whether one summary has the text of another.
func TestSCN55ACompactionEndsAStretchWhateverItsSummary(t *testing.T) {
	ask := func(purpose fsm.Purpose, texts ...string) Asked {
		var talk fsm.Conversation
		for _, text := range texts {
			talk = talk.Add(fsm.Message{Role: fsm.RoleUser, Text: text})
		}
		return Asked{
			Ask: fsm.AskBrain{Session: "s", Purpose: purpose, Conversation: talk}, Prompt: strings.Join(texts, "\n"), Served: server.Served{ID: 1},
		}
	}
	of := func(first, second string) int {
		return UsageOf([]Asked{
			ask(fsm.PurposeAnswer, "a question", "a long answer to it"), ask(fsm.PurposeCompact, "a question", "a long answer to it", "sum it up"),
			ask(fsm.PurposeAnswer, first, "another question"), ask(fsm.PurposeAnswer, first, "another question", "another long answer"),
			ask(fsm.PurposeCompact, first, "another question", "another long answer", "sum it up"),
			ask(fsm.PurposeAnswer, second, "a third question, much longer than the others before it, so that it counts"),
		}).Least
	}
	if alike, other := of("summary a", "summary a"), of("summary a", "summary b"); alike < other-server.Tokens("summary b") || alike > other {
		t.Errorf("the least is %d, with another summary %d", alike, other)
	}
}
