// Package terminal is where a subcommand reads and writes, and what may be shown there.
package terminal

import (
	"encoding/json"
	"io"
	"os"

	"shelly/runtime/system"
)

// Terminal is where a subcommand reads and writes.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Interactive reports whether standard output is a terminal.
func (t *Terminal) Interactive() bool { return Is(t.Out) }

// JSON prints a value for programs on a line, and indented where a person reads it.
func (t *Terminal) JSON(v any) error {
	enc := json.NewEncoder(t.Out)
	if t.Interactive() {
		enc.SetIndent("", "  ")
	}
	return enc.Encode(v)
}

// JSONLine prints one of several values that come one after another, on a line.
func (t *Terminal) JSONLine(v any) error { return json.NewEncoder(t.Out).Encode(v) }

// Is reports whether a stream is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Colours reports whether a stream may be coloured: a terminal that can do more than
// print, unless NO_COLOR is set (https://no-color.org).
func Colours(stream any) bool {
	return Is(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Columns is how wide the terminal is; 0 where w is none, or can do nothing but print.
func Columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return 0
	}
	columns, err := system.Columns(f.Fd())
	if err != nil {
		return 0
	}
	if columns == 0 { // the terminal does not know
		return 80
	}
	return columns
}

// Shell runs a command line of shelly, without its name, and returns its exit code: for a
// subcommand that lets a person type others.
type Shell func(args []string, t *Terminal) int
