// Package session stores the state of conversations between their turns.
//
//	s, err := session.Open(data, store, time.Now)
//	state, err := s.Load(ctx, "cli:direct")
//	now, conflict, err := s.Save(ctx, save)
//
// A session's history, pending messages and loaded skills are one value in the
// store. MEMORY.md and HISTORY.md, which all sessions share, are plain files in the
// folder memory of the data folder: a person may read and edit them at any time.
//
// A save is a compare-and-swap: it replaces only the version of the session that was loaded and,
// if it replaces MEMORY.md, only the content that was loaded (SES-3, SES-12). On a conflict nothing
// is written.
//
// # Once for each turn
//
// A save writes HISTORY.md, then MEMORY.md, then the session with its archive in one batch. After a
// crash in between, the save comes again with the same turn. It must recognise what it has already
// written, or an entry would be doubled and its own MEMORY.md would be a conflict. So each of the
// three says which turns it holds: the session in a list of the latest, and each file in a comment
// that names the store and the turn; the store, because a file may outlive it:
//
//	[2026-01-31 09:00] The disk was full; old logs were removed.
//	<!-- shelly turn 4KQ2XWZA h12 -->
//
// The files are synced before the session is put. The session needs no sync of its own: it is in
// the same log as the record that says it was saved.
package session
