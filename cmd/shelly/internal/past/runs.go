package past

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// runsLook is how many of the last records are folded first to find runs.
const runsLook = 2000

// Runs selects runs.
type Runs struct {
	Session string       // "": any; runs that the session has started, or whose schedule was made in it, count too
	State   string       // a word of [comm.Record.Stands]; "": any
	Since   fsm.Millis   // runs admitted since then, and unfinished ones
	Before  fsm.HandleID // runs with a smaller handle; 0: all
	Limit   int          // at most this many; 0: all
}

// List returns runs, the latest first (CLI-143, COM-85). Only requests have records, so for
// runs the journal is folded, from further and further back until there are enough. Next is the
// Before of the next page; 0 if there is none.
func (w Runs) List(j engine.Reader) (found []comm.Record, next fsm.HandleID, err error) {
	kept, err := j.Kept()
	if err != nil {
		return nil, 0, err
	}
	asks, err := asksAfter(j, kept.Last)
	if err != nil {
		return nil, 0, err
	}
	gone := newForgotten(j)
	for look := uint64(runsLook); ; look *= 8 {
		after := kept.First - 1
		if look < kept.Last-after {
			after = kept.Last - look
		}
		all, err := history.Runs(j, after)
		if err != nil {
			return nil, 0, err
		}
		found, enough, err := w.of(all, asks, gone, after == kept.First-1)
		switch {
		case err != nil:
			return nil, 0, err
		case w.Limit > 0 && len(found) > w.Limit:
			return found[:w.Limit], found[w.Limit-1].Handle, nil
		case enough:
			return found, 0, nil
		}
	}
}

// asksAfter returns what a person is asked after a record, by the handle that asks.
func asksAfter(j engine.Reader, index uint64) (map[fsm.HandleID]*comm.Ask, error) {
	s, err := engine.StateAt(j, index)
	if err != nil {
		return nil, err
	}
	asks := map[fsm.HandleID]*comm.Ask{}
	for _, one := range comm.Standings(&s) {
		asks[one.Handle] = one.Asks
	}
	return asks, nil
}

// of selects from the runs of the last records; whole is set if these are all that are kept.
// Enough is set if these are all that there can be, or one more than the limit. A run that was
// admitted before those records counts only if enough is already set: otherwise runs that were
// admitted after it may have ended before them.
func (w Runs) of(all []history.Run, asks map[fsm.HandleID]*comm.Ask, gone *forgotten, whole bool) (found []comm.Record, enough bool, err error) {
	found, enough = []comm.Record{}, whole
	for _, r := range slices.Backward(all) {
		enough = enough || r.Index != 0 && r.Admitted < w.Since
		if r.Index == 0 && !enough || w.Before != 0 && r.Handle >= w.Before || r.Admitted < w.Since && r.Ended != 0 {
			continue
		}
		one := recordOf(r, asks[r.Handle])
		if !w.wants(r, one) {
			continue
		}
		switch is, err := gone.has(r); {
		case err != nil:
			return nil, false, err
		case is:
			continue
		}
		if found = append(found, one); w.Limit > 0 && len(found) > w.Limit {
			return found, true, nil
		}
	}
	return found, enough, nil
}

func (w Runs) wants(r history.Run, one comm.Record) bool {
	return (w.Session == "" || r.Session == w.Session || r.Home == w.Session) && (w.State == "" || one.Stands() == w.State)
}

// recordOf returns a run as a list of requests shows it: its id is that of its handle.
func recordOf(r history.Run, asks *comm.Ask) comm.Record {
	one := comm.Record{
		ID: r.Handle.Entry(), Channel: string(r.Kind), Kind: r.Kind, InSession: r.Session, Index: r.Index, Handle: r.Handle,
		State: comm.RecordAccepted, Text: r.Input, Accepted: r.Admitted, Reply: r.Answer, IsError: r.IsError,
	}
	if r.Ended == 0 {
		one.Phase, one.Asks = r.State, asks
		return one
	}
	one.Done, one.Replied, one.State = true, r.Ended, comm.RecordDone
	if r.State != state.Done {
		one.State = comm.RecordFailed
	}
	if one.Outcome = comm.OutcomeOf(r.State); one.Outcome == fsm.OutcomeAnswered && r.GaveUp {
		one.Outcome = fsm.OutcomeCancelled
	}
	return one
}

// RunID parses the id of a run, such as h12.
func RunID(id string) (fsm.HandleID, bool) {
	digits, ok := strings.CutPrefix(id, "h")
	n, err := strconv.ParseUint(digits, 10, 64)
	return fsm.HandleID(n), ok && err == nil && n > 0 && n < math.MaxInt64
}

// RunOf returns the run of a handle, as far as the journal has it. The error is
// [history.ErrNone] if the journal does not have it.
func RunOf(j engine.Reader, id fsm.HandleID) (history.Run, error) {
	kept, err := j.Kept()
	if err != nil {
		return history.Run{}, err
	}
	all, err := history.Runs(j, kept.First-1)
	if err != nil {
		return history.Run{}, err
	}
	i := slices.IndexFunc(all, func(r history.Run) bool { return r.Handle == id })
	if i < 0 {
		return history.Run{}, fmt.Errorf("%w: run %s", history.ErrNone, id.Entry())
	}
	return all[i], nil
}
