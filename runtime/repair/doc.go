// Package repair makes a store that opens out of one that is damaged (JRN-32).
//
//	report, err := repair.Run(ctx, dataFolder, repair.Options{DryRun: true, Now: time.Now})
//
// What can be read of the damaged store is written into a new one (package salvage and
// store.Rebuild). Then its journal is folded, for two reasons. What a request became, which
// messages were sent and what the tools did is a consequence of the journal, so that what the
// damage took of it is written again. And only the state at the journal's end tells which
// requests were unfinished.
//
// Where records after the end may be lost, nobody knows what was done in them. So whatever
// is unfinished at the end waits for a person: a boot with doubts is appended (JRN-6). The
// numbers of lost records are taken by records that change nothing, so that no number, and
// none of what is numbered by it, is given twice. A request that is known to have been
// accepted, and of which the journal knows nothing any more, is answered with an error that
// says so: asked again with its id it does not run again.
package repair
