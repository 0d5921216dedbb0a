// Package check says what must always hold of a machine: the invariants (INV-1 to INV-14).
//
// A [Monitor] follows one machine and checks each step against what it has seen: inputs,
// moves and effects, besides the state after the step. It uses only what the machine
// exports. INV-9 is checked by the machine's tests, which restore each state and compare.
package check
