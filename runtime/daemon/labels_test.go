package daemon_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
)

// Wherever the state of an inference is shown, the profile's name for it is shown as well
// (INF-28).
func TestINF28StatesAreShownWithTheProfilesNames(t *testing.T) {
	f := startWith(t, func(o *daemon.Options) {
		o.Journal = engine.NewMemoryJournal()
		o.Config.Labels = profile.Omniemployee().Labels
		o.Config.Limits.MaxIterations = 2
	})
	f.accept("a", "look")
	call := f.next()
	events := f.watch("a")
	want := []comm.Active{{
		Handle: 1, Text: "look", Kind: fsm.KindUser, Session: "cli:direct", State: state.Cognition, Inference: state.Thinking, Label: "THINKING", Request: "a",
	}}
	if diff := cmp.Diff(want, f.active()); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	call.calls("look")
	f.next().calls("look")
	if diff := cmp.Diff([]string{
		"thinking THINKING", "acting TOOL_CALLING", "thinking THINKING", "acting TOOL_CALLING", "exhausted MAX_ITERATIONS",
	}, labelled(all(events))); diff != "" {
		t.Errorf("exhausted (-want +got):\n%s", diff)
	}

	f.accept("b", "nothing")
	f.next().says("")
	if diff := cmp.Diff([]string{"thinking THINKING", "broken ERROR"}, labelled(all(f.watch("b")))); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}

	f.accept("c", "hello")
	call = f.next()
	events = f.watch("c")
	call.says("hello")
	f.next().says("A summary.")
	list := labelled(all(events))
	if !slices.Contains(list, "completed COMPLETED") {
		t.Errorf("completed: %q", list)
	}
}

// labelled lists the states of inferences among events, each with its label.
func labelled(events []comm.Event) (list []string) {
	for _, e := range events {
		switch {
		case e.Type != comm.EventState:
		case e.Inference != "":
			list = append(list, string(e.Inference)+" "+string(e.Label))
		case e.Label != "":
			list = append(list, "a handle's "+string(e.State)+" "+string(e.Label))
		}
	}
	return list
}

// A profile without names of its own adds nothing.
func TestINF28WithoutNamesThereIsNoLabel(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), tools{})
	f.accept("a", "hello")
	call := f.next()
	events := f.watch("a")
	call.says("hello")
	f.next().says("A summary.")
	if list := all(events); slices.ContainsFunc(list, func(e comm.Event) bool { return e.Label != "" }) {
		t.Errorf("a label in %+v", list)
	}
}
