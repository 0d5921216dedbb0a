package stategraph_test

import (
	"reflect"
	"testing"

	"shelly/fsm/state"
	"shelly/sim/history/stategraph"
)

// SIM-34: boxes do not overlap, each row is an arrow between the boxes of its states, and
// equal tables have equal layouts.
func TestSIM34TablesAreLaidOut(t *testing.T) {
	for _, table := range state.Tables() {
		taken := func(r state.Row) int { return len(r.Rule) % 3 }
		g := stategraph.Layout(table, taken)
		if !reflect.DeepEqual(g, stategraph.Layout(table, taken)) {
			t.Errorf("%s: two layouts", table.Name)
		}
		places := map[string]stategraph.Node{}
		for i, n := range g.Nodes {
			places[n.Name] = n
			if n.X-n.Width/2 < 0 || n.X+n.Width/2 > g.Width || n.Y-n.Height/2 < 0 || n.Y+n.Height/2 > g.Height {
				t.Errorf("%s: %s is outside", table.Name, n.Name)
			}
			for _, o := range g.Nodes[:i] {
				if o.Y == n.Y && abs(o.X-n.X) < (o.Width+n.Width)/2 {
					t.Errorf("%s: %s and %s overlap", table.Name, o.Name, n.Name)
				}
			}
		}
		rows, events := 0, 0
		for _, e := range g.Edges {
			events += len(e.Events)
			if e.Loop {
				continue
			}
			for end, name := range map[int]string{0: e.From, len(e.Points) - 1: e.To} {
				n, p := places[name], e.Points[end]
				if abs(p[0]-n.X) > n.Width/2 || abs(p[1]-n.Y) != n.Height/2 {
					t.Errorf("%s: the arrow %s → %s misses %s", table.Name, e.From, e.To, name)
				}
			}
		}
		if rows = len(table.Rows); events != rows || len(g.Rows) != rows {
			t.Errorf("%s: %d rows, %d events", table.Name, rows, events)
		}
	}
}

func abs(n int) int { return max(n, -n) }
