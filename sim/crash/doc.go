// Package crash runs a plan once for every crash point that it meets and compares each
// outcome with the uninterrupted run's (SIM-6, JRN-12).
//
//	result, err := crash.Matrix(plan, sim.Options{})
package crash
