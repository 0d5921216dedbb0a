// Package report writes what a run of scenarios came to: for people [Pretty], for
// programs [JSON].
//
//	run := &report.Run{Cases: cases, Took: took}
//	err := report.Pretty(w, run, report.Options{})
//
// A report that is written while the run goes on calls [PrettyCase] for each case in
// order, and [PrettyEnd] behind the last.
//
// [JSON] writes the same bytes for the same outcomes: it holds no times.
package report
