package config

import (
	"strings"
	"testing"

	"shelly/fsm/profile"
)

// Only the named keys change, even if the sources change others too (SIM-15).
func TestSIM15OnlyTheNamedKeysChange(t *testing.T) {
	recorded, _ := profile.Named("nanobot")
	recorded.Limits.MaxActive = 9
	c, err := Load(Sources{Dir: "/x", Overrides: []Override{
		{Key: "limits.max_active", Value: "3"}, {Key: "limits.max_tool_rounds", Value: "7"}, {Key: "prompts.identity", Value: "You are {name}."},
		{Key: "brain.temperature", Value: "0"}, {Key: "switches.no_cognition", Value: "true"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Over(recorded, []string{"limits.max_tool_rounds", "prompts.identity", "brain.temperature", "brain.url"})
	want := recorded
	want.Limits.MaxToolRounds, want.Options.Temperature, want.Prompts.Identity = 7, -1, "You are shelly."
	if err != nil || got.Limits.MaxActive != 9 || got.Limits.MaxToolRounds != 7 || got.Options != want.Options ||
		got.Prompts.Identity != want.Prompts.Identity || got.Prompts.Question != recorded.Prompts.Question || got.Switches != recorded.Switches {
		t.Errorf("got %+v, %v; want Limits.MaxActive 9, Limits.MaxToolRounds 7, Options %+v, Prompts.Identity %q, Prompts.Question %q, Switches %+v", got, err, want.Options, want.Prompts.Identity, recorded.Prompts.Question, recorded.Switches)
	}
	for _, key := range []string{"tools.exec.allow", "log.level", "profile", "prompts.none"} {
		if _, err := c.Over(recorded, []string{key}); err == nil || !strings.HasPrefix(err.Error(), key+": ") {
			t.Errorf("%s: got %v; want an error beginning with %q", key, err, key+": ")
		}
	}
}
