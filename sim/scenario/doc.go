// Package scenario reads scenario files, plays them in the simulator and judges
// what happened.
//
//	cases, err := scenario.Load(fsys, "scenarios/shelly/answer.scenario.yaml")
//	for _, f := range cases {
//		outcome := f.Run(sim.Options{})
//		for _, failure := range outcome.Failures {
//			fmt.Fprintln(w, failure)
//		}
//	}
//
// A scenario is one YAML file: a world, a script for the model, a timeline of
// inputs, faults, and what must hold. [format.File] is the format, version
// 1: its fields are the keys, and their comments say what each key means.
//
// Loading is strict. [Load] gathers everything that is wrong with a file, with its
// place; see [strict.Error]. The limits on a file are constants of packages strict and
// document.
// It has three stages: the fragments that a file includes are read and their keys
// joined to its own (SCN-16); variables and matrix are read, which says how many
// cases there are (SCN-18); and each case is read from the same nodes, its variables
// put in on the way (SCN-17). Nodes are shared by all cases and never changed.
//
// What a scenario leaves out has a quiet default:
//
//   - The profile is default. Without a script for the initial inference
//     (brain_for.init) and without config.init the case boots with the initial
//     inference off.
//   - Without a script, a summary or a compaction is "Summary of N messages.", an
//     initial inference reports "Nothing to report." and a farewell says "Goodbye.";
//     with strict: true each of them is an unexpected call.
//   - The model is offered the profile's builtin tools and the stubs.
//   - A request without an id gets "r" and its place among the requests and commands
//     of the timeline, from 1. Without session, channel and chat its session is
//     "cli:direct"; with a channel and a chat alone it is the machine's choice.
//   - A schedule does not keep a case from ending: its slots are served while anything
//     else goes on, and until clock.until.
//   - A call takes no time if neither its takes nor latencies give it any.
//   - A crash, and a fault without p, comes at the first opportunity. Faults with p
//     strike as the seed 1 decides.
//   - A person who is to approve, deny or resolve waits to be asked.
//
// A case with replay is not played but stepped: it says what the machine was told, to
// the letter, and has no world, script or timeline (SCN-45). [Found] writes such cases.
//
// With brain: live a model is asked in place of the script, and with tools: real the
// tools are the daemon's own. Both are handed in, as a backend and a workshop of
// [sim.Options]; without them such a case is skipped.
//
// always, never and eventually take expressions such as "active <= limits.max_active"
// on the state after each step. The type expression.State lists the names, and
// RULES.md (SCN-31) the functions; the language is that of expr-lang.org.
//
// An unexpected model or tool call, a script entry that no call used, a fault that was
// planned by number and never struck, and a broken invariant fail every case,
// whatever it expects.
//
// These packages are below it; each imports only those that are listed before it:
//
//   - sim/strict reads YAML strictly, and words problems with their places
//   - data is plain data, and match says what it must be like
//   - document joins fragments, variables and matrix to the cases of a file
//   - expression evaluates conditions on the state after each step
//   - format has the types of the files, in which each key is a field
//   - choose finds files and chooses among cases; golden keeps what cases did
//   - compile makes a [sim.Plan] from a file; check finds mistakes that its types allow
//   - judge compares a result with what the file expects; lint reports what is suspicious
//
// This package goes the whole way, from a path to an [Outcome], and writes scenarios:
// counterexamples and records of journals. Package property plays properties, and package
// scenariotest plays files from go test (SCN-66).
//
// The package is pure: files arrive as an [io/fs.FS] and there is no clock.
package scenario
