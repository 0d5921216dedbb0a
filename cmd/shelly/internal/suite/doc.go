// Package suite plays many scenario files: it is `shelly test`, and `shelly scenario lint`, which
// reads the same files but plays none. Package sim/scenario decides what a case is and what its
// result is; this package handles the files, the processors and the terminal.
//
// [Command] and [Lint] are the flags of the two, filled in by the command line parser; their Run
// does the rest and returns an error with an exit code. One round of [Command.Run] (suite.go)
// goes through these files, in this order:
//
//	load.go      the files that the arguments name, and their cases
//	select.go    --run, --tags, --shard, --list
//	play.go      several cases at once, reported in their order
//	case.go      one case: under its seeds, a second time with --twice, on the runtime
//	property.go  one property: its budgets, and the case that it found
//	golden.go    what is done about a golden that does not match
//	tell.go      the report while cases run, its end, the exit code
//
// The others are the terminal's last line (progress.go), further parts and forms of the report
// (coverage.go, junit.go, github.go), and the rounds of --watch (watch.go, and watchdisk.go for
// what changes on the disk).
package suite
