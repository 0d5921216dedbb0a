// Package sim runs the shipped machine and engine in a simulated world: a
// virtual clock, a scripted model, stub tools and skills, memory, sessions and
// journal in memory, people who decide, crashes at chosen points, and calls and writes
// that fail by number or by chance.
//
//	result := sim.Run(plan, sim.Options{})
//
// A [Plan] is a whole case as data. [Run] plays it to rest and returns what
// happened; package sim/scenario reads plans from files and judges results.
// Whatever the plan leaves open is decided by one [Chooser], so a run is reproduced by
// its seed or its tape, or by the plan alone. After every step the invariants of package
// fsm are checked.
//
// It builds on script (what the model says), disk (what the process stores) and coverage
// (which rows of the tables were taken). On it build crash, which runs a plan with a crash at
// every point, and explore, which walks all interleavings of a small world.
//
// The package uses no wall clock, goroutine, file or socket. With a [Backend] the same
// schedule drives real adapters: this is how a scenario runs on the runtime, and how it asks
// a live model. A [Workshop] puts real tools in place of the stubs.
package sim
