// Package explore walks all interleavings of a small world on the shipped machine
// (SIM-7): breadth first, each state once, the shortest counterexample first.
//
//	result := explore.Run(explore.SmallWorld())
//
// [Bounds] say what may happen in a world. [Worlds] are those that the project proves;
// [CaseWorld] is the world of a plan. After every step the invariants are checked, and at
// the end that rest can be reached from every state by answers alone (SIM-9).
//
// A [Counterexample] lists what the machine was [Told]; [Replay] steps the machine with it
// again.
package explore
