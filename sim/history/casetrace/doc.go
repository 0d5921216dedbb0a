// Package casetrace tells the run of a case in the way in which package trace tells what a
// journal holds: by a fold of what the machine was told. It adds what only the simulator
// knows about each step (SIM-30): which steps a crash lost, which invariants do not hold,
// and which expectations the step meets or breaks.
package casetrace
