package fit

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// The transcript that is summarised shows the calls and the tools of each message.
func TestCTX13ATranscriptHasCallsAndTools(t *testing.T) {
	var b strings.Builder
	Transcript(fsm.PresentWords(), &b, []fsm.Message{
		{Role: fsm.RoleUser, Text: "look"},
		{Role: fsm.RoleAssistant, Text: "I look.", Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}}},
		{Role: fsm.RoleAssistant, Text: "There are two.", Used: []string{"list_dir", "read_file"}},
	})
	if want := "\n[user] look\n[assistant] I look.\n[assistant] calls list_dir {}\n[assistant] There are two. (tools: list_dir, read_file)"; b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// The present question is never cut, however little room there is.
func TestCTX13ThePresentQuestionIsNotCut(t *testing.T) {
	c := profile.Default()
	talk := []fsm.Message{
		{Role: fsm.RoleUser, Text: "first"}, {Role: fsm.RoleAssistant, Text: "one"},
		{Role: fsm.RoleUser, Text: strings.Repeat("a question ", 10*c.Limits.ContextTokens)},
		{Role: fsm.RoleAssistant, Text: "I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}}}, {Role: fsm.RoleTool, ToolCall: "1", Text: "two files"},
	}
	h := &state.Handle{}
	h.TurnAt = 2
	h.Inf.Talk = fsm.Conversation{}.Add(talk...)
	for _, cut := range []int{1, 2} {
		if got := Condensable(&c, h, cut); got != h.TurnAt {
			t.Errorf("from %d the cut goes to %d", cut, got)
		}
	}
}

// As much is cut at once as the model can be shown, exactly to the token.
func TestCTX13AsMuchLeavesAsCanBeShown(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	shown := Room(&c, h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	talk := []fsm.Message{
		{Role: fsm.RoleUser}, {Role: fsm.RoleAssistant, Text: "one"}, {Role: fsm.RoleUser, Text: "second"}, {Role: fsm.RoleAssistant, Text: "two"},
		{Role: fsm.RoleUser, Text: "question"},
	}
	h.TurnAt = 4
	for over, want := range []int{4, 2} {
		for talk[0].Text = ""; tokensOf(talk[:4]) < shown+over; {
			talk[0].Text += "word"
		}
		h.Inf.Talk = fsm.Conversation{}.Add(talk...)
		if got := Condensable(&c, h, 4); got != want {
			t.Errorf("%d tokens too many: the cut is at %d", over, got)
		}
	}
}

// What is too much for a part leaves turn by turn, and no more than that.
func TestCTX13NoMoreStaysForTheNextPartThanMust(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	shown := Room(&c, h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	var talk []fsm.Message
	for len(talk) < 8 { // four turns, of which three may be shown at once
		question := ""
		for fsm.MessageTokens(fsm.Message{Text: question}) < shown*3/10 {
			question += "word "
		}
		talk = append(talk, fsm.Message{Role: fsm.RoleUser, Text: question}, fsm.Message{Role: fsm.RoleAssistant, Text: "one"})
	}
	h.TurnAt = len(talk)
	h.Inf.Talk = fsm.Conversation{}.Add(append(talk, fsm.Message{Role: fsm.RoleUser, Text: "question"})...)
	if got := Condensable(&c, h, 8); got != 6 {
		t.Errorf("the cut is at %d", got)
	}
}
