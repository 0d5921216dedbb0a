package past

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// A run that was unfinished before the records that were read is listed only if no run that was
// admitted after it can be missing because it ended before those records.
func TestCOM85RunsOfAPartOfTheJournalAreInOrder(t *testing.T) {
	all := []history.Run{
		{Handle: 3, State: state.Done, Ended: 90},
		{Handle: 8, Index: 50, Admitted: 50, State: state.Done, Ended: 60, Session: "a"},
		{Handle: 9, Index: 70, Admitted: 70, State: state.Queued, Home: "a"},
	}
	for name, c := range map[string]struct {
		wanted Runs
		whole  bool
		found  []fsm.HandleID
		enough bool
	}{
		"a part":        {Runs{}, false, []fsm.HandleID{9, 8}, false},
		"all":           {Runs{}, true, []fsm.HandleID{9, 8, 3}, true},
		"one more":      {Runs{Limit: 1}, false, []fsm.HandleID{9, 8}, true},
		"what follows":  {Runs{Before: 9}, true, []fsm.HandleID{8, 3}, true},
		"since":         {Runs{Since: 60}, false, []fsm.HandleID{9}, true},
		"of a session":  {Runs{Session: "a"}, true, []fsm.HandleID{9, 8}, true},
		"of a state":    {Runs{State: "waiting"}, true, []fsm.HandleID{9}, true},
		"none is there": {Runs{State: "held"}, false, nil, false},
	} {
		found, enough := c.wanted.of(all, nil, c.whole)
		var ids []fsm.HandleID
		for _, r := range found {
			ids = append(ids, r.Handle)
		}
		if !slices.Equal(ids, c.found) || enough != c.enough {
			t.Errorf("%s: %v, enough %t", name, ids, enough)
		}
	}
	asks := map[fsm.HandleID]*comm.Ask{9: {Question: fsm.QuestionCrashes}}
	if found, _ := (Runs{State: comm.StandsHeld}).of(all, asks, true); len(found) != 1 || found[0].Asks != asks[9] {
		t.Errorf("held: %+v, want run 9", found)
	}
}

// A list says of a run what the log says of it.
func TestCLI143ARunHasAnOutcome(t *testing.T) {
	for run, want := range map[history.Run]fsm.Outcome{
		{State: state.Done, Ended: 90}:               fsm.OutcomeAnswered,
		{State: state.Done, Ended: 90, GaveUp: true}: fsm.OutcomeCancelled,
		{State: state.Failed, Ended: 90}:             fsm.OutcomeFailed,
		{State: state.Cancelled, Ended: 90}:          fsm.OutcomeCancelled,
		{State: state.Queued}:                        "",
	} {
		if got := recordOf(run, nil).Outcome; got != want {
			t.Errorf("the outcome of a run that is %s is %q; want %q", run.State, got, want)
		}
	}
}
