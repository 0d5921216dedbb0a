package scenario

import (
	"errors"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/script"
)

func player(t *testing.T, script string) *script.Player {
	t.Helper()
	f, err := Parse("p.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {ends: serving}\n"+script))
	if err != nil {
		t.Fatal(err)
	}
	return f.Player(false)
}

// talk is a conversation of texts that the user and the model say in turn.
func talk(session string, texts ...string) fsm.AskBrain {
	a := fsm.AskBrain{Purpose: fsm.PurposeAnswer, Session: session}
	for i, text := range texts {
		a.Conversation.Messages = append(a.Conversation.Messages, fsm.Message{Role: []fsm.Role{fsm.RoleUser, fsm.RoleAssistant}[i%2], Text: text})
	}
	return a
}

// said is what the player says, or the word of the failure.
func said(t *testing.T, p *script.Player, ask fsm.AskBrain) string {
	t.Helper()
	line, err := p.Answer(ask)
	switch in := line.Answer(ask).(type) {
	case fsm.BrainFailed:
		return string(in.Class)
	case fsm.BrainAnswered:
		if err != nil {
			return "exhausted"
		}
		return in.Text
	default:
		return "nothing"
	}
}

type exchange struct {
	ask  fsm.AskBrain
	want string
}

func exchanges(t *testing.T, p *script.Player, list []exchange) {
	t.Helper()
	for i, x := range list {
		if got := said(t, p, x.ask); got != x.want {
			t.Errorf("call %d: %q, want %q", i+1, got, x.want)
		}
	}
}

// CLI-21, SCN-3: a session's later turns go on in the script, and sessions share the
// lines that are for all.
func TestCLI9SessionsTakeLinesAsTheSimulatorServesThem(t *testing.T) {
	p := player(t, "brain: [{says: one}, {says: two, times: 2}, {says: own, session: b}, {says: three}]\nbrain_for: {subagent: [{says: sub}]}\n")
	sub := talk("sub", "look")
	sub.Purpose = fsm.PurposeSubagent
	exchanges(t, p, []exchange{
		{talk("a", "hi"), "one"},
		{talk("b", "hi"), "own"},
		{sub, "sub"},
		{talk("a", "hi", "one", "more"), "two"},
		{talk("a", "hi", "one", "more"), "two"}, // asked again
		{talk("b", "hi", "own", "more"), "two"},
		{talk("a", "hi", "one", "more", "two", "and"), "three"},
		{talk("b", "hi", "own", "more", "two", "and"), "exhausted"},
		{talk("a", "hi"), "one"},
	})
	_, err := p.Answer(talk("a", "new"))
	var e *script.Exhausted
	if !errors.As(err, &e) || e.Lines != 4 || !strings.Contains(err.Error(), `in session "a": it is for 4 calls`) {
		t.Errorf("got %v; want it exhausted after 4 lines, in session %q", err, "a")
	}
}

// CLI-21: conversations without a session each have the script to themselves.
func TestCLI9ConversationsAreKeptApart(t *testing.T) {
	exchanges(t, player(t, "brain: [{says: one}, {says: two}, {says: three}]\n"), []exchange{
		{talk("", "hi"), "one"},
		{talk("", "hello"), "one"},
		{talk("", "hi", "one", "more"), "two"},
		{talk("", "hi", "one", "else"), "two"},
		{talk("", "hello", "one", "more"), "two"},
		{talk("", "hi", "one", "more", "two", "end"), "three"},
		{talk("", "unheard", "of", "before"), "two"},
		{talk("", "hi", "one", "more", "two", "end", "three", "on"), "exhausted"},
		{talk("", "hi"), "one"},
	})
	exchanges(t, player(t, "brain: [{says: own, session: b}]\n"), []exchange{{talk("", "hi"), "own"}})
}

// CLI-21: what came to no answer is tried again with the next line.
func TestCLI9AfterAFailureComesTheNextLine(t *testing.T) {
	for _, session := range []string{"", "s"} {
		p := player(t, "brain: [{fails: busy}, {hangs: true}, {says: \"\"}, {says: one}, {says: two}]\n")
		exchanges(t, p, []exchange{
			{talk(session, "hi"), "busy"},
			{talk(session, "hi"), "nothing"},
			{talk(session, "hi"), ""},
			{talk(session, "hi"), "one"},
			{talk(session, "hi"), "one"},
			{talk(session, "hi", "one", "more"), "two"},
		})
	}
}

func TestCLI9QuietCallsNeedNoLine(t *testing.T) {
	summary := talk("a", "1")
	summary.Purpose = fsm.PurposeSummary
	if line, err := player(t, "").Answer(summary); err != nil || line.Text != "Summary of 0 messages." {
		t.Errorf("got %+v, %v; want Text %q", line, err, "Summary of 0 messages.")
	}
	if _, err := player(t, "strict: true\n").Answer(summary); err == nil {
		t.Error("an answer out of nothing")
	}
}
