// Command mutants asks whether the scenarios would notice a change of the machine. It
// makes small changes, one at a time, and plays the scenarios until one fails: the mutant
// is killed. One that no scenario kills survives.
//
// Without -n the changes are those of the tables and phases: each row deleted, each row led
// to the state before and the one after its own in the table's order, and of each phase each
// piece taken away: what it does, what it awaits, its timers, and each part of these. With -n they are drawn from the syntax trees of the
// machine: a condition negated, an operator shifted, a statement removed; what the scenarios
// let live then meets the tests of package fsm and below.
//
// Only what a case says of itself kills: its expectations, its script, its crash matrix,
// and that it comes to an end. Invariants do not for the tables, because the monitor reads
// the same ones; but where the monitor alone goes by a piece (which calls or person a phase
// awaits) its word is what is asked for. Mutants that change nothing that could be seen are listed in
// equivalents.txt, each with the reason; any other that survives is an error, and so is one
// of the list that is killed or that there is not.
package main
