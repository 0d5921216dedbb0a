// Package terminal is where a subcommand reads and writes, and what may be shown there.
package terminal

import (
	"io"
	"os"
)

// Terminal is where a subcommand reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Interactive reports whether standard output is a terminal.
func (t *Terminal) Interactive() bool { return Is(t.Out) }

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
