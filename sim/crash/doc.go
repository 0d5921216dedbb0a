// Package crash runs a plan once for every crash point that its uninterrupted run reaches,
// and compares each outcome with that run's (SIM-6, JRN-12).
//
//	result, err := crash.Matrix(plan, sim.Options{})
package crash
