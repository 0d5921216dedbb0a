package request

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// runsLook is how many records from the last one are folded first for runs.
const runsLook = 2000

// runs returns the runs that a list wants, the latest first (CLI-143): what is no request has no record,
// so the journal is folded, from further and further back until there are enough.
func (c *listCmd) runs(j engine.Reader, since fsm.Millis) ([]comm.Record, error) {
	kept, err := j.Kept()
	if err != nil {
		return nil, exit.With(exit.Data, err)
	}
	for look := uint64(runsLook); ; look *= 8 {
		after := kept.First - 1
		if look < kept.Last-after {
			after = kept.Last - look
		}
		all, err := history.Runs(j, after)
		if err != nil {
			return nil, exit.History(err)
		}
		found, old := []comm.Record{}, false
		for _, r := range slices.Backward(all) {
			old = old || r.Admitted < since
			if one := recordOf(r); c.wantsRun(r, one) && (r.Admitted >= since || r.Ended == 0) {
				found = append(found, one)
			}
		}
		if after == kept.First-1 || old || c.Limit > 0 && len(found) >= c.Limit {
			return found, nil
		}
	}
}

// wantsRun reports whether a run is of the session and in the state that are wanted: one that a
// session has started, or whose schedule was made in it, is of it too.
func (c *listCmd) wantsRun(r history.Run, one comm.Record) bool {
	return (c.Session == "" || r.Session == c.Session || r.Home == c.Session) && (c.State == "" || one.Stands() == c.State)
}

// recordOf is a run as a list of requests has it: its id is that of its handle.
func recordOf(r history.Run) comm.Record {
	one := comm.Record{
		ID: r.Handle.Entry(), Channel: string(r.Kind), Kind: r.Kind, InSession: r.Session, Index: r.Index, Handle: r.Handle,
		State: comm.RecordAccepted, Text: r.Input, Accepted: r.Admitted, Reply: r.Answer, IsError: r.IsError,
	}
	if r.Ended == 0 {
		one.Phase = r.State
		return one
	}
	one.Done, one.Replied, one.State = true, r.Ended, comm.RecordDone
	if r.State != state.Done {
		one.State = comm.RecordFailed
	}
	if r.State == state.Cancelled {
		one.Outcome = fsm.OutcomeCancelled
	}
	return one
}

// together are requests and runs, the latest first, at most as many as are wanted.
func (c *listCmd) together(requests, runs []comm.Record) []comm.Record {
	all := slices.Concat(requests, runs)
	slices.SortStableFunc(all, func(a, b comm.Record) int {
		return cmp.Or(cmp.Compare(b.Accepted, a.Accepted), cmp.Compare(b.Handle, a.Handle))
	})
	if c.Limit > 0 {
		all = all[:min(len(all), c.Limit)]
	}
	return all
}

// runID reads the id of a run, such as h12.
func runID(id string) (fsm.HandleID, bool) {
	digits, ok := strings.CutPrefix(id, "h")
	n, err := strconv.ParseUint(digits, 10, 64)
	return fsm.HandleID(n), ok && err == nil && n > 0 && n < math.MaxInt64
}

// runOf returns the run of a handle, as far as the journal has it.
func runOf(j engine.Reader, id fsm.HandleID) (history.Run, bool, error) {
	kept, err := j.Kept()
	if err != nil {
		return history.Run{}, false, exit.With(exit.Data, err)
	}
	all, err := history.Runs(j, kept.First-1)
	if err != nil {
		return history.Run{}, false, exit.History(err)
	}
	i := slices.IndexFunc(all, func(r history.Run) bool { return r.Handle == id })
	if i < 0 {
		return history.Run{}, false, nil
	}
	return all[i], true, nil
}
