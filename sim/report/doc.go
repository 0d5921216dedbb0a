// Package report writes the outcomes of scenarios, for people and for programs.
//
//	err := report.Pretty(w, outcomes, report.Options{Elapsed: elapsed})
//
// [JSON] writes the same bytes for the same outcomes: it holds no times.
package report
