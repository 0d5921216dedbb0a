// Package sim runs the shipped machine and engine in a simulated world: a
// virtual clock, a scripted model, stub tools and skills, memory, sessions and
// journal in memory, people who decide, crashes at chosen points, and calls and writes
// that fail by number or by chance.
//
//	result := sim.Run(plan, sim.Options{})
//
// A [Plan] is a whole case as data. [Run] plays it to rest and returns what
// happened; package sim/scenario reads plans from files and judges results.
// Everything that is not decided by the plan goes through one [Chooser], so a
// run is reproduced by its seed, its tape or nothing at all. After every step the
// invariants of package fsm are checked.
//
// The rooms below: script is what the model says, disk what the process stores, coverage
// which rows of the tables were taken. Above: crash runs a plan with a crash at every
// point, and explore walks all interleavings of a small world instead of playing one.
//
// The package knows no wall clock, goroutine, file or socket. With a [Backend]
// the same schedule drives real adapters: that is how a scenario runs on the
// runtime, and how it asks a live model. A [Workshop] has real tools in place of the
// stubs.
package sim
