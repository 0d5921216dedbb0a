// Package casetrace tells the run of a case as package trace tells what a journal holds:
// by a fold of what the machine was told, with what only the simulator knows of each step
// (SIM-30): which steps a crash lost, which invariants do not hold, and which
// expectations the step meets or breaks.
package casetrace
