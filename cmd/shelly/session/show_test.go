package session

import (
	"testing"

	"shelly/fsm"
)

func TestCLI145APersonIsNotTheAuthorOfWhatShellyTellsTheModel(t *testing.T) {
	for _, tt := range []struct {
		message fsm.Message
		want    string
	}{
		{fsm.Message{Role: fsm.RoleUser, Source: fsm.FromPerson}, "you"},
		{fsm.Message{Role: fsm.RoleUser}, "you"},                                                               // from before sources were recorded
		{fsm.Message{Role: fsm.RoleUser, Source: fsm.FromOutside}, "system"},                                   // an event
		{fsm.Message{Role: fsm.RoleUser, Source: fsm.FromOperator}, "system"},                                  // a beat
		{fsm.Message{Role: fsm.RoleUser, Source: fsm.FromOperator | fsm.FromPerson | fsm.FromModel}, "system"}, // a subagent's report
		{fsm.Message{Role: fsm.RoleUser, Aside: true, Source: fsm.FromPerson}, "system"},                       // a recall
		{fsm.Message{Role: fsm.RoleAssistant, Source: fsm.FromPerson | fsm.FromModel}, "shelly"},
		{fsm.Message{Role: fsm.RoleTool, Tool: "grep", Source: fsm.FromWorkspace}, "tool grep"},
	} {
		if got := speaker(tt.message); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.message, got, tt.want)
		}
	}
}

// Of a tool's result the beginning is shown; of a refusal, its reason as well.
func TestCLI145AToolsResultIsShownAsFarAsItMatters(t *testing.T) {
	long := "not run: ann@example.org refused it, and says: write it to the staging folder\nfirst"
	for source, want := range map[fsm.Source]string{ // order-free: each is alone
		fsm.FromWorkspace:                  "not run: ann@example.org refused it, an…",
		fsm.FromWorkspace | fsm.FromPerson: long,
	} {
		if got := body(fsm.Message{Role: fsm.RoleTool, Tool: "write_file", Text: long, Source: source}); got != want {
			t.Errorf("source %d: got %q, want %q", source, got, want)
		}
	}
}
