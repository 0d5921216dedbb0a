package machine

import (
	"regexp"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// eachTable runs a test on each of the three tables.
func eachTable(t *testing.T, test func(*testing.T, state.Table)) {
	for _, table := range state.Tables() {
		t.Run(table.Name, func(t *testing.T) { test(t, table) })
	}
}

func TestTheLibraryAgreesWithEveryPairOfATable(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		x := newExecutor(table, Phases(table.Name))
		known := routes([]state.Table{table}, x)
		known["no such event"] = &route{table: x}
		for _, from := range states(table) {
			for _, on := range append(events(table), "no such event") {
				row, want := find(table, from, on)
				if !want {
					row.To = from
				}
				if got := known[on].from(from); got.ok != want || got.to != row.To {
					t.Errorf("from %s on %s, the machine goes to %s (%t), the table to %s (%t)", from, on, got.to, got.ok, row.To, want)
				}
				if got := x.ask(from, on); got.ok != want || got.to != row.To {
					t.Errorf("from %s on %s, the library goes to %s (%t), the table to %s (%t)", from, on, got.to, got.ok, row.To, want)
				}
			}
		}
	})
}

func TestNoPairHasTwoRows(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		for i, r := range table.Rows {
			if first, _ := find(table, r.From, r.On); first != r {
				t.Errorf("row %d: %s on %s has another row, to %s", i, r.From, r.On, first.To)
			}
		}
	})
}

func TestFinalStatesAreTheOnesThatNoRowLeaves(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		for _, s := range states(table) {
			left := slices.ContainsFunc(table.Rows, func(r state.Row) bool { return r.From == s })
			if left == slices.Contains(table.Final, s) {
				t.Errorf("%s is left by a row: %t, and final: %t", s, left, !left)
			}
		}
		for _, state := range table.Final {
			if !slices.Contains(states(table), state) {
				t.Errorf("the final state %s is in no row", state)
			}
		}
	})
}

func TestEveryStateIsReachable(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		reached := []fsm.State{table.Initial}
		for i := 0; i < len(reached); i++ {
			for _, r := range table.Rows {
				if r.From == reached[i] && !slices.Contains(reached, r.To) {
					reached = append(reached, r.To)
				}
			}
		}
		for _, state := range states(table) {
			if !slices.Contains(reached, state) {
				t.Errorf("%s cannot be reached from %s", state, table.Initial)
			}
		}
	})
}

func TestEveryRowCitesARule(t *testing.T) {
	id := regexp.MustCompile(`^[A-Z]{3}-\d+$`)
	eachTable(t, func(t *testing.T, table state.Table) {
		for _, r := range table.Rows {
			if !id.MatchString(r.Rule) {
				t.Errorf("%s on %s cites %q", r.From, r.On, r.Rule)
			}
		}
	})
}

func TestTheTableLibrarySurvivesEveryRefusal(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		x := newExecutor(table, Phases(table.Name))
		x.ask("no such state", table.Rows[0].On)
		x.ask(table.Initial, "no such event")
		r := table.Rows[len(table.Rows)-1]
		if got := x.ask(r.From, r.On); !got.ok || got.to != r.To {
			t.Errorf("after refusals %s on %s goes to %s (%t)", r.From, r.On, got.to, got.ok)
		}
	})
}

// A machine runs the tables as they were when it was made, and one that is made after they were
// changed runs the changed ones.
func TestChangedTablesAreRunByTheMachinesThatComeAfter(t *testing.T) {
	rows := state.HandleTable.Rows
	t.Cleanup(func() {
		state.HandleTable.Rows = rows
		TablesChanged()
	})
	before := New()
	state.HandleTable.Rows = slices.DeleteFunc(slices.Clone(rows), func(r state.Row) bool { return r.From == state.Loading && r.On == state.OnAsk })
	TablesChanged()
	after := New()
	c := profile.Shelly()
	c.Init = fsm.InitOff
	for m, want := range map[*Machine]fsm.State{before: state.Cognition, after: state.Loading} { // order-free
		m.Step(fsm.Input{At: 1, Fact: fsm.Boot{Config: c}})
		m.Step(fsm.Input{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "hello"}})
		if got := m.s.Handles[0].State; got != want {
			t.Errorf("the handle is in %s, not %s", got, want)
		}
	}
}

// states returns a table's states in order of first appearance.
func states(t state.Table) []fsm.State {
	list := []fsm.State{t.Initial}
	for _, r := range t.Rows {
		for _, s := range []fsm.State{r.From, r.To} {
			if !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
	}
	return list
}

// events returns a table's events in order of first appearance.
func events(t state.Table) []state.Event {
	var list []state.Event
	for _, r := range t.Rows {
		if !slices.Contains(list, r.On) {
			list = append(list, r.On)
		}
	}
	return list
}

// find returns the row for on in from, or false if the table has none.
func find(t state.Table, from fsm.State, on state.Event) (state.Row, bool) {
	for _, r := range t.Rows {
		if r.From == from && r.On == on {
			return r, true
		}
	}
	return state.Row{}, false
}
