// Package state is what a machine holds and the tables it moves by, as plain data.
//
// Three literal tables are the single source of truth: [Lifecycle] is the daemon's life,
// [HandleTable] that of one handle, [InferenceTable] that of one inference. A [Snapshot] is
// a machine's whole state, with a [Handle] for each unfinished piece of work. The types
// here answer questions about themselves; package fsm/machine changes them.
package state
