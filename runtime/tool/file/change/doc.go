// Package change remembers what the tools change in files, so that it can be said after a
// crash whether a change was made, and so that it can be undone.
//
//	log := change.Open(folder)
//	unlock, err := log.Lock(ctx)            // one change at a time, in all processes
//	entry, err := log.Begin(record, before) // durable
//	…                                       // the file is replaced
//	err = entry.End()                       // or entry.Drop(), where it was not
//
// A change is a file NUMBER-KEY.STATE, a [Record] as JSON, in which STATE is started, ended
// or undone, and beside it NUMBER-KEY.before with what the file held. A record is durable
// before its change begins, so what has no record was never begun. One that is started is
// dropped by nothing but its own call: that is what lets [Log.Find] answer after a crash.
// What has ended is kept within bounds.
package change
