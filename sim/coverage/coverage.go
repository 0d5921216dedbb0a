// Package coverage counts what runs have taken of the machine's tables and of the faults
// that there are.
package coverage

import (
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/sim"
)

// Coverage counts how often each row and state of the three tables was taken, and how
// often each fault struck.
type Coverage struct {
	rows    []Row
	states  []State
	faults  []Fault
	initial map[string]fsm.State // of each table; only looked up
	lookup  map[rowKey]int
}

// Row is a table's row and how often it was taken.
type Row struct {
	Table string
	state.Row
	Taken int
}

// State is a table's state and how often a handle was in it. The initial one
// counts when it is left.
type State struct {
	Table string
	State fsm.State
	Taken int
}

// Fault is one of [sim.FaultPoints] and how often it struck.
type Fault struct {
	Name  string
	Taken int
}

type rowKey struct {
	table string
	from  fsm.State
	on    state.Event
}

// New returns a coverage with nothing taken.
func New() *Coverage {
	c := &Coverage{lookup: map[rowKey]int{}, initial: map[string]fsm.State{}}
	for _, t := range state.Tables() {
		c.initial[t.Name] = t.Initial
		for _, r := range t.Rows {
			c.lookup[rowKey{t.Name, r.From, r.On}] = len(c.rows)
			c.rows = append(c.rows, Row{Table: t.Name, Row: r})
			for _, s := range []fsm.State{r.From, r.To} {
				if c.state(t.Name, s) == nil {
					c.states = append(c.states, State{Table: t.Name, State: s})
				}
			}
		}
	}
	for _, name := range sim.FaultPoints() {
		c.faults = append(c.faults, Fault{Name: name})
	}
	return c
}

func (c *Coverage) state(table string, s fsm.State) *State {
	for i := range c.states {
		if c.states[i].Table == table && c.states[i].State == s {
			return &c.states[i]
		}
	}
	return nil
}

// Add counts the moves of a step.
func (c *Coverage) Add(moves []state.Move) {
	for _, m := range moves {
		if i, ok := c.lookup[rowKey{m.Table, m.From, m.On}]; ok {
			c.rows[i].Taken++
			c.state(m.Table, m.To).Taken++
			if m.From == c.initial[m.Table] {
				c.state(m.Table, m.From).Taken++
			}
		}
	}
}

// Struck counts faults by their names, as [sim.Result.Struck] has them.
func (c *Coverage) Struck(names []string) {
	for _, name := range names {
		for i := range c.faults {
			if c.faults[i].Name == name {
				c.faults[i].Taken++
			}
		}
	}
}

// Join counts what another coverage has counted.
func (c *Coverage) Join(o *Coverage) {
	for i := range c.rows {
		c.rows[i].Taken += o.rows[i].Taken
	}
	for i := range c.states {
		c.states[i].Taken += o.states[i].Taken
	}
	for i := range c.faults {
		c.faults[i].Taken += o.faults[i].Taken
	}
}

// Rows returns all rows in the tables' order.
func (c *Coverage) Rows() []Row { return c.rows }

// States returns all states in the tables' order.
func (c *Coverage) States() []State { return c.states }

// Faults returns all faults in the order of [sim.FaultPoints].
func (c *Coverage) Faults() []Fault { return c.faults }

// Missing returns the rows that were never taken.
func (c *Coverage) Missing() []Row {
	var missing []Row
	for _, r := range c.rows {
		if r.Taken == 0 {
			missing = append(missing, r)
		}
	}
	return missing
}
