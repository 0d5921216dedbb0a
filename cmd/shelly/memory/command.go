// Package memory is shelly memory, which reads and changes the memory.
package memory

// Command reads and changes the memory (CLI-20).
type Command struct {
	List   listCmd   `cmd:"" help:"List entries, newest first."`
	Search searchCmd `cmd:"" help:"Show what a text would recall, and why."`
	Show   showCmd   `cmd:"" help:"Show an entry in full, or the files MEMORY.md and HISTORY.md."`
	Add    addCmd    `cmd:"" help:"Add a note."`
	Forget forgetCmd `cmd:"" help:"Delete entries permanently."`
	Export exportCmd `cmd:"" help:"Export all entries as lines of JSON."`
	Import importCmd `cmd:"" help:"Import exported entries."`
}
