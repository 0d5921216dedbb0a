// Package repair makes a store that opens from one that is damaged (JRN-32).
//
//	report, err := repair.Run(ctx, dataFolder, repair.Options{DryRun: true, Now: time.Now})
//
// What can be read of the damaged store is written into a new one (package salvage and
// store.Rebuild). Then its journal is folded, for two reasons. The outcomes of requests, the
// messages sent and what the tools did follow from the journal, so whatever of these was damaged is
// restored. And only the state at the journal's end tells which requests were unfinished.
//
// If records after that end may be lost, it is unknown what was done in them. So everything that is
// unfinished at the end waits for a person: a boot with doubts is appended (JRN-6). The indexes of
// lost records are given to records that change nothing, so that no index, and nothing numbered by
// it, is used twice. A request that is known to have been accepted, but that the journal no longer
// knows, is answered with an error that says so: sent again with the same id it does not run again.
package repair
