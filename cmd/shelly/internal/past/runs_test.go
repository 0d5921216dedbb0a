package past

import (
	"cmp"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
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
		found, enough, err := c.wanted.of(all, nil, newForgotten(asked{}), c.whole)
		if ids := handlesOf(found); err != nil || !slices.Equal(ids, c.found) || enough != c.enough {
			t.Errorf("%s: %v, enough %t, %v", name, ids, enough, err)
		}
	}
	asks := map[fsm.HandleID]*comm.Ask{9: {Question: fsm.QuestionCrashes}}
	if found, _, _ := (Runs{State: comm.StandsHeld}).of(all, asks, newForgotten(asked{}), true); len(found) != 1 || found[0].Asks != asks[9] {
		t.Errorf("held: %+v, want run 9", found)
	}
}

func handlesOf(found []comm.Record) (ids []fsm.HandleID) {
	for _, r := range found {
		ids = append(ids, r.Handle)
	}
	return ids
}

// asked is a journal that has requests, the latest last.
type asked struct {
	engine.Reader
	list []engine.Request
}

// Requests implements [engine.Reader].
func (a asked) Requests(before uint64, limit int) (found []engine.Request, err error) {
	for _, r := range slices.Backward(a.list) {
		if r.Index < before && len(found) < limit {
			found = append(found, r)
		}
	}
	return found, nil
}

// SES-25: the journal has the words of a forgotten session, but no list of its runs shows them.
func TestCLI143RunsOfAForgottenSessionAreNotListed(t *testing.T) {
	var j asked
	for i := range uint64(40) { // more than are read at once
		j.list = append(j.list, engine.Request{Index: 10 * (i + 1), Session: "b"})
	}
	chat := fsm.Origin{Channel: "web", Chat: "7"}
	j.list = append(j.list, engine.Request{Index: 15, Session: "a", Forgotten: true}, engine.Request{Index: 25, Origin: chat, Forgotten: true}, engine.Request{Index: 305, Session: "a"})
	slices.SortFunc(j.list, func(a, b engine.Request) int { return cmp.Compare(a.Index, b.Index) })
	const memory = fsm.KindMemory
	all := []history.Run{
		{Handle: 1, Index: 12, Kind: memory, Session: "a"}, // before anything was said, as far as the records go
		{Handle: 2, Index: 16, Kind: memory, Session: "a"},
		{Handle: 3, Index: 17, Kind: fsm.KindSubagent, Home: "a"},
		{Handle: 4, Index: 18, Kind: memory, Session: "b"},
		{Handle: 5, Index: 26, Kind: fsm.KindSystem, Session: "web:7"},
		{Handle: 6, Index: 27, Kind: fsm.KindSchedule, Session: "a"}, // it has words of its own
		{Handle: 7, Index: 304, Kind: memory, Session: "a"},          // admitted when there was nothing new yet
		{Handle: 8, Index: 306, Kind: memory, Session: "a"},
		{Handle: 9, Index: 400 + recordsMax, Kind: memory, Session: "c"},
	}
	found, _, err := Runs{}.of(all, nil, newForgotten(j), true)
	if ids, want := handlesOf(found), []fsm.HandleID{9, 8, 6, 4, 1}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("runs %v, %v; want %v", ids, err, want)
	}
}

// Nothing is read of requests that are too far back to have caused a run, nor for a run that has words of its own.
func TestCLI143OnlyRequestsBeforeARunAreRead(t *testing.T) {
	var j asked
	for i := range uint64(100) {
		j.list = append(j.list, engine.Request{Index: i + 1, Session: "b"})
	}
	for _, r := range []history.Run{{Index: 200 + recordsMax, Kind: fsm.KindMemory, Session: "a"}, {Index: 300, Kind: fsm.KindInit, Session: "a"}} {
		f := newForgotten(j)
		if is, err := f.has(r); is || err != nil || len(f.of["b"]) > readAtOnce {
			t.Errorf("%+v: %t, %v, %d requests are read", r, is, err, len(f.of["b"]))
		}
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
