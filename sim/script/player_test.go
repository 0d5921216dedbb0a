package script

import (
	"fmt"
	"testing"

	"shelly/fsm"
)

func TestWhatIsRememberedOfConversationsIsBounded(t *testing.T) {
	p := NewPlayer([]Script{{Purpose: fsm.PurposeAnswer, Lines: []Line{{Text: "one", Times: 9999}}}})
	for i := range askedMax + 9 {
		ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer, Session: "a"}
		ask.Conversation.Messages = []fsm.Message{{Role: fsm.RoleUser, Text: fmt.Sprint(i)}}
		if _, err := p.Answer(ask); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.turns) != askedMax || len(p.order) != askedMax {
		t.Errorf("%d of %d", len(p.turns), len(p.order))
	}
}
