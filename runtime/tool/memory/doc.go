// Package memory holds the tools with which the model reaches its memory (MEM-12): the
// remembered entries, MEMORY.md and HISTORY.md.
//
//	added, err := memory.Tools(memory.Options{Offered: memory.Names(), Entries: entries, Files: files, ResultBytesMax: 16 << 10})
//	r, err := tool.New(tool.Options{Workspace: "/home/ann/project", Added: added})
//
// memory_search and memory_read have no effects. memory_write is idempotent: the file records
// which calls have written it, so a call that is started again after a crash writes nothing
// twice. It changes what the file holds at that moment, and so loses neither a person's edits
// nor what the machine has put into it.
package memory
