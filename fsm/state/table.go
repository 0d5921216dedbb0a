package state

import "shelly/fsm"

// Event names what moves a table from one state to another.
type Event string

// Row is one transition: in From, on On, go to To, because of Rule of SPEC.md.
type Row struct {
	From fsm.State
	On   Event
	To   fsm.State
	Rule string
}

// Table is a transition table. It is data: the machine executes it, SPEC.md's
// tables and diagrams are printed from it, and coverage is counted against it.
// What a state does when a row leads to it is its [machine.Phase].
type Table struct {
	Name    string
	Initial fsm.State
	Final   []fsm.State // states that no event leaves; empty if every state can be left
	Rows    []Row
}

// Tables returns the three tables in a fixed order.
func Tables() []Table { return []Table{Lifecycle, HandleTable, InferenceTable} }

// Move is one transition that a step took. Handle is 0 for the lifecycle.
type Move struct {
	Table  string       `json:"table"`
	Handle fsm.HandleID `json:"handle,omitempty"`
	Kind   fsm.Kind     `json:"-"` // of the handle, which may have ended in this step
	From   fsm.State    `json:"from"`
	On     Event        `json:"on"`
	To     fsm.State    `json:"to"`
}

// Stays reports whether a transition leads back to the state that it leaves, whose entry
// then runs again.
func (m Move) Stays() bool { return m.From == m.To }
