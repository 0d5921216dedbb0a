// Package terminal has a subcommand's input and output, and decides what may be shown on a
// terminal.
package terminal

import (
	"bytes"
	"cmp"
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"shelly/runtime/system"
)

// Terminal is a subcommand's input and output.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Interactive reports whether standard output is a terminal.
func (t *Terminal) Interactive() bool { return Is(t.Out) }

// Is reports whether a stream is a terminal, and no other device, such as /dev/null.
func Is(stream any) (is bool) {
	f, ok := File(stream)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn() // Fd would make reading it block
	if err == nil {
		err = raw.Control(func(fd uintptr) { is = term.IsTerminal(fd) })
	}
	return is && err == nil
}

// Colours reports whether a stream may be coloured: if it is a terminal that understands escape
// codes, unless NO_COLOR is set (https://no-color.org).
func Colours(stream any) bool {
	return Is(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Columns returns the width of the terminal; 0 if w is not one, or is one without cursor control.
func Columns(w io.Writer) int {
	f, ok := File(w)
	if !ok || os.Getenv("TERM") == "dumb" {
		return 0
	}
	columns, err := system.Columns(f.Fd())
	if err != nil {
		return 0
	}
	return cmp.Or(columns, 80) // 0: the terminal does not report it
}

// Sheet is output that is kept as a text, to be shown on a screen of that many columns.
type Sheet struct {
	bytes.Buffer
	Columns int
}

// Width returns how wide what is written to w may be, to be shown whole: the columns of a terminal or
// of a sheet; 0 if that is not known.
func Width(w io.Writer) int {
	if sheet, ok := w.(*Sheet); ok {
		return sheet.Columns
	}
	return Columns(w)
}

// Shell runs a command line of shelly, given without the program's name, and returns its exit
// code. A subcommand in which a person can type other commands uses it.
type Shell func(args []string, t *Terminal) int
