// Package report writes the results of a run of scenarios: for people [PrettyCase], for
// programs [JSON], for CI servers [JUnit], for GitHub [Annotations] and [StepSummary].
//
//	run := &report.Run{Cases: cases, Took: took}
//	err := report.JSON(w, run)
//
// What people read is written while the run goes on: [PrettyCase] for each case in
// order, and [PrettyEnd] after the last.
//
// [JSON] writes the same bytes for the same outcomes: it holds no times. The package
// is pure: only the caller knows where a report goes and what the surroundings are.
package report
