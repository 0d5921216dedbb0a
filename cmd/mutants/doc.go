// Command mutants finds out whether the scenarios would notice a change of the machine. It makes
// small changes, one at a time, and plays the scenarios until one fails: the mutant is killed.
// One that no scenario kills survives.
//
// Without -n the changes are those of the tables and phases: each row deleted; each row
// redirected to the state before its own and to the one after, in the table's order; and each
// piece of each phase removed: what it does, what it awaits, its timers, and each part of these.
// With -n they are drawn from the syntax trees of the machine: a condition negated, an operator
// replaced, a statement removed. Those that survive the scenarios are then judged by the tests of
// package fsm and the packages below it, each by those that run its code.
//
// Only a case's own checks kill: its expectations, its script, its crash matrix, and the
// requirement that it ends. Invariants do not kill a mutant of the tables, because the monitor
// reads the same tables; but if only the monitor uses a piece (which calls or person a phase
// awaits), its verdict counts. Mutants with no visible effect are listed in equivalents.txt, each
// with the reason. Any other survivor is an error, and so is a mutant of the list that is killed
// or does not exist.
package main
