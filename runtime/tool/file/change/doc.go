// Package change records what the tools change in files, so that after a crash it is known
// whether a change was made, and so that changes can be undone.
//
//	log := change.Open(folder)
//	unlock, err := log.Lock(ctx)            // one change at a time, in all processes
//	entry, err := log.Begin(record, before) // durable
//	…                                       // the file is replaced
//	err = entry.End()                       // or entry.Drop() if it was not
//
// A change is a file NUMBER-KEY.STATE, a [Record] as JSON, where STATE is started, ended
// or undone, and next to it NUMBER-KEY.before with what the file held. A record is durable
// before its change begins, so a change without a record never began. Only its own call may
// drop a record that is started: that is what lets [Log.Find] answer after a crash.
// Ended changes are kept within bounds.
package change
