package script

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/server"
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

// INF-33: what is heard of thinking that is too long ends there, wherever the line has it; thinking after
// the text has come does not count.
func TestINF33ThinkingIsHeardUpToItsLimit(t *testing.T) {
	long := strings.Repeat("word", 20) // of 20 tokens
	calls := []fsm.ToolCall{{Name: "t", Args: "{}"}}
	for _, test := range []struct {
		line                 Line
		most                 int
		text, thinking, stop string
	}{
		{Line{Thinking: long, Text: "a", Calls: calls}, 5, "", long[:20], "max_tokens"},
		{Line{Thinking: long, Text: "a"}, 20, "a", long, "end_turn"},
		{Line{Thinking: long, Text: "a"}, 0, "a", long, "end_turn"},
		{Line{Text: "<think>" + long + "</think>a"}, 5, "", long[:20], "max_tokens"},
		{Line{Text: "<think>" + long}, 5, "", long[:20], "max_tokens"},
		{Line{Thinking: long[:16], Text: "<think>" + long[:16] + "</think>a"}, 5, "", long[:20], "max_tokens"},
		{Line{Text: "a<think>" + long + "</think>b"}, 5, "ab", long, "end_turn"},
		{Line{Thinking: long, Text: "a", Length: true}, 40, "a", long, "max_tokens"},
	} {
		in := test.line.Answer(fsm.AskBrain{ThinkTokens: test.most}).(fsm.BrainAnswered)
		if in.Text != test.text || in.Thinking != test.thinking || string(in.Stop) != test.stop || in.Stop != fsm.StopToolUse && len(in.Calls) > 0 {
			t.Errorf("%+v with at most %d: got %+v; want %q, %q, %s", test.line, test.most, in, test.text, test.thinking, test.stop)
		}
	}
	unthinking := Line{Thinking: long, Text: "a"}.Answer(fsm.AskBrain{ThinkTokens: 5, NoThinking: true}).(fsm.BrainAnswered)
	if unthinking.Text != "a" || unthinking.Stop != fsm.StopEndTurn {
		t.Errorf("a model that does not think is cut: %+v", unthinking)
	}
	if hangs := (Line{Thinking: long, Hangs: true}).Answer(fsm.AskBrain{ThinkTokens: 5}); hangs != nil {
		t.Errorf("a model that hangs answers %+v", hangs)
	}
}

// SCN-27, SIM-22: what is cut comes in pieces of what is left, also where the line lists them.
func TestSCN27ACutAnswerComesInPiecesOfWhatIsLeft(t *testing.T) {
	line := Line{Thinking: "wordword", Text: "abcdefgh", Stream: &Stream{Texts: []string{"abcd", "efgh"}, Every: 5}}
	for _, cut := range []Line{line.Served(fsm.AskBrain{}, server.Served{Cut: true, Written: 3}, 0), line.Thought(fsm.AskBrain{ThinkTokens: 1})} {
		said := cut.Answer(fsm.AskBrain{}).(fsm.BrainAnswered)
		var text, thinking string
		pieces := cut.Pieces(fsm.AskBrain{})
		for _, p := range pieces {
			text, thinking = text+p.Text, thinking+p.Thinking
		}
		if text != said.Text || thinking != said.Thinking || len(pieces) < 2 || cut.Stream.Every != 5 {
			t.Errorf("the pieces %+v are not of %+v", pieces, said)
		}
	}
	if len(line.Pieces(fsm.AskBrain{})) != 3 {
		t.Error("the line itself has changed")
	}
}
