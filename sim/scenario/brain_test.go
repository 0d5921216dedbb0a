package scenario

import (
	"testing"

	"shelly/fsm"
	"shelly/scenarios"
	"shelly/sim/script"
)

func demo(t *testing.T) *script.Player {
	t.Helper()
	f, err := LoadOne(scenarios.Demo, scenarios.DemoFile)
	if err != nil {
		t.Fatal(err)
	}
	return f.Player(true)
}

func ask(purpose fsm.Purpose, roles ...fsm.Role) fsm.AskBrain {
	a := fsm.AskBrain{Purpose: purpose}
	for _, r := range roles {
		a.Conversation.Messages = append(a.Conversation.Messages, fsm.Message{Role: r, Text: string(r) + " text"})
	}
	return a
}

// The demo brain asks for a tool, then quotes what it returned, for every handle
// again and for ever.
func TestBRN12DemoBrainRepeatsItsScript(t *testing.T) {
	b := demo(t)
	first := ask(fsm.PurposeAnswer, fsm.RoleSystem, fsm.RoleUser)
	second := ask(fsm.PurposeAnswer, fsm.RoleSystem, fsm.RoleUser, fsm.RoleAssistant, fsm.RoleTool)
	third := ask(fsm.PurposeAnswer, fsm.RoleUser, fsm.RoleAssistant, fsm.RoleTool, fsm.RoleAssistant, fsm.RoleUser)
	for range 2 {
		for _, a := range []fsm.AskBrain{first, third} {
			line, err := b.Answer(a)
			if in, _ := line.Answer(a).(fsm.BrainAnswered); err != nil || len(in.Calls) != 1 || in.Calls[0].Name != "list_dir" || in.Calls[0].Args != `{"path":"."}` {
				t.Errorf("begins with %+v", line)
			}
		}
		line, err := b.Answer(second)
		in, _ := line.Answer(second).(fsm.BrainAnswered)
		if want := "I am the demo brain: a script, not a model. Whatever I am asked, I call list_dir on \".\" and say what it returned:\n\ntool text"; err != nil || in.Text != want {
			t.Errorf("answers %q, want %q", in.Text, want)
		}
	}
}

func TestBrainAnswersEveryPurpose(t *testing.T) {
	b := demo(t)
	for _, p := range []fsm.Purpose{fsm.PurposeInit, fsm.PurposeSummary, fsm.PurposeFarewell} {
		line, err := b.Answer(ask(p, fsm.RoleUser, fsm.RoleAssistant, fsm.RoleUser))
		if err != nil || line.Text == "" || len(line.Calls) > 0 {
			t.Errorf("%s: got %+v, %v; want some Text, no Calls", p, line, err)
		}
	}
	two, err := Parse("t.scenario.yaml", []byte("scenario: 1\nname: x\nbrain_for: {summary: [{says: a}, {says: b}]}\nexpect: {ends: serving}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if line, _ := two.Player(true).Answer(ask(fsm.PurposeSummary, fsm.RoleUser, fsm.RoleAssistant, fsm.RoleUser)); line.Text != "a" {
		t.Errorf("a summary over one answer begins with %q", line.Text)
	}
	quiet, err := Parse("q.scenario.yaml", []byte("scenario: 1\nname: x\nexpect: {ends: serving}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := quiet.Player(true).Answer(ask(fsm.PurposeFarewell)); err != nil || line.Text != "Goodbye." {
		t.Errorf("quiet farewell: %+v, %v", line, err)
	}
	if line, err := quiet.Player(true).Answer(ask(fsm.PurposeAnswer)); err == nil {
		t.Errorf("an answer out of nothing: %+v", line)
	}
	quiet.Strict = true
	if line, err := quiet.Player(true).Answer(ask(fsm.PurposeFarewell)); err == nil {
		t.Errorf("a quiet farewell in a strict case: %+v", line)
	}
}
