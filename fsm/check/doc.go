// Package check says what must hold of a machine whatever happens to it: the invariants
// (INV-1 to INV-13).
//
// A [Monitor] follows one machine and checks each step by what it saw itself: inputs,
// moves and effects, beside the state that the step has left. It knows the machine by
// what that shows to everybody. [CheckRestore] takes a machine apart and puts it together
// again (INV-9).
package check
