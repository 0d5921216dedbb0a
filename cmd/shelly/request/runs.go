package request

import (
	"cmp"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/past"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// runs returns the runs that match, the latest first (CLI-143).
func (c *listCmd) runs(j engine.Reader, since fsm.Millis) ([]comm.Record, error) {
	found, _, err := past.Runs{Session: c.Session, State: c.State, Since: since, Limit: c.Limit}.List(j)
	return found, exit.History(err)
}

// together merges requests and runs, the latest first, up to the limit.
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
