package sim

import "shelly/fsm"

// Coverage counts how often each row of the three tables was taken.
type Coverage struct {
	rows   []CoveredRow
	lookup map[rowKey]int
}

// CoveredRow is a table's row and how often it was taken.
type CoveredRow struct {
	Table string
	fsm.Row
	Taken int
}

type rowKey struct {
	table string
	from  fsm.State
	on    fsm.Event
}

// NewCoverage returns a coverage with no row taken.
func NewCoverage() *Coverage {
	c := &Coverage{lookup: map[rowKey]int{}}
	for _, t := range fsm.Tables() {
		for _, r := range t.Rows {
			c.lookup[rowKey{t.Name, r.From, r.On}] = len(c.rows)
			c.rows = append(c.rows, CoveredRow{Table: t.Name, Row: r})
		}
	}
	return c
}

// Add counts the moves of a step.
func (c *Coverage) Add(moves []fsm.Move) {
	for _, m := range moves {
		if i, ok := c.lookup[rowKey{m.Table, m.From, m.On}]; ok {
			c.rows[i].Taken++
		}
	}
}

// Join counts what another coverage has counted.
func (c *Coverage) Join(o *Coverage) {
	for i := range c.rows {
		c.rows[i].Taken += o.rows[i].Taken
	}
}

// Rows returns all rows in the tables' order.
func (c *Coverage) Rows() []CoveredRow { return c.rows }

// Missing returns the rows that were never taken.
func (c *Coverage) Missing() []CoveredRow {
	var missing []CoveredRow
	for _, r := range c.rows {
		if r.Taken == 0 {
			missing = append(missing, r)
		}
	}
	return missing
}
