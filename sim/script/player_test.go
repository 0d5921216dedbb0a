package script

import (
	"fmt"
	"testing"

	"shelly/fsm"
	"shelly/fsm/described"
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

func TestCLI21ARepeatedScriptGoesOnInATurnOfAModelWithoutToolCalls(t *testing.T) {
	p := NewPlayer([]Script{{Purpose: fsm.PurposeAnswer, Lines: []Line{{Calls: []fsm.ToolCall{{Name: "look"}}}, {Text: "seen"}}}})
	p.Repeat = true
	messages := []fsm.Message{
		{Role: fsm.RoleUser, Text: "look"},
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "look", Args: "{}"}}}, {Role: fsm.RoleTool, Tool: "look", Text: "a"},
		{Role: fsm.RoleAssistant, Text: "seen"},
		{Role: fsm.RoleUser, Text: "look"},
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "look", Args: "{}"}}}, {Role: fsm.RoleTool, Tool: "look", Text: "a"},
	}
	for n, calls := range map[int]bool{1: true, 3: false, 5: true, 7: false} { // order-free: each is a question by itself
		for _, sent := range [][]fsm.Message{messages[:n], described.Conversation(messages[:n], []fsm.ToolDecl{{Name: "look"}})} {
			ask := fsm.AskBrain{Purpose: fsm.PurposeAnswer}
			ask.Conversation.Messages = sent
			if line, err := p.Answer(ask); err != nil || len(line.Calls) > 0 != calls {
				t.Errorf("%d messages: %+v, error %v", n, line, err)
			}
		}
	}
}
