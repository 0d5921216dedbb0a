package script

import (
	"shelly/fsm"
	"testing"
)

func TestQuietAnswers(t *testing.T) {
	ask := fsm.AskBrain{System: "s", Conversation: fsm.Conversation{Messages: make([]fsm.Message, 3)}}
	for purpose, want := range map[fsm.Purpose]string{
		fsm.PurposeSummary: "Summary of 3 messages.", fsm.PurposeCompact: "Summary of 3 messages.",
		fsm.PurposeInit: "Nothing to report.", fsm.PurposeFarewell: "Goodbye.",
		fsm.PurposeAnswer: "", fsm.PurposeSubagent: "",
	} {
		ask.Purpose = purpose
		if got, ok := Quiet(ask); got.Text != want || ok != (want != "") {
			t.Errorf("%s: got %q, %t; want %q, %t", purpose, got.Text, ok, want, (want != ""))
		}
	}
}

func TestAnswersRepeatCallsUnderFreshIDs(t *testing.T) {
	ask := fsm.AskBrain{Conversation: fsm.Conversation{Messages: []fsm.Message{
		{Role: fsm.RoleUser}, {Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "call_9_0", Name: "t", Args: "{}"}}}, {Role: fsm.RoleTool},
	}}}
	in := Line{Repeats: true, Tokens: fsm.Tokens{Prompt: 5}}.Answer(ask).(fsm.BrainAnswered)
	want := fsm.ToolCall{ID: "call_10_0", Name: "t", Args: "{}"}
	if len(in.Calls) != 1 || in.Calls[0] != want || in.Stop != fsm.StopToolUse || in.Tokens.Prompt != 5 {
		t.Errorf("answer %+v", in)
	}
}
