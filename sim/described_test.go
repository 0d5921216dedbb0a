package sim

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim/script"
	"shelly/sim/server"
)

// SIM-20, BRN-16: a model without calls of its own is sent a description of the tools, and
// side calls begin as the conversation does.
func TestSIM20ToolsAreDescribedToAModelWithoutCalls(t *testing.T) {
	c, _ := profile.Named("default")
	c.Init = fsm.InitOff
	p := Plan{
		Config: c, Server: &server.Config{}, Describes: true,
		Scripts:  []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{{Text: "It is full."}}}},
		Timeline: []Moment{{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "r"}, Text: "How full is the disk?"}}},
	}
	r := play(t, p, Options{})
	if len(r.Asked) < 2 {
		t.Fatalf("%d calls are made, want an answer and its summary", len(r.Asked))
	}
	for _, a := range r.Asked {
		if strings.Contains(a.Prompt, "<tools>") || strings.Count(a.Prompt, "# How to call tools") != 1 {
			t.Errorf("the prompt for %s does not describe the tools once:\n%s", a.Ask.Purpose, a.Prompt)
		}
	}
	if held := r.Asked[0].Prompt + "It is full."; !strings.HasPrefix(r.Asked[1].Prompt, held) {
		t.Errorf("the summary does not go on from the answer:\n%s\n%s", held, r.Asked[1].Prompt)
	}
}
