// Package disk is what the simulated process stores: memory entries in [Memory], and
// sessions, MEMORY.md and HISTORY.md in [Sessions]. In a crash both lose what was not
// synced, as the journal does.
package disk
