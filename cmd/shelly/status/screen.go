package status

import (
	"bytes"
	"io"
)

// What moves a terminal's cursor and clears (ECMA-48): to the first line, what is below the
// cursor, and what is right of it.
const (
	home  = "\x1b[H"
	below = "\x1b[J"
	right = "\x1b[K"
)

// clearing writes lines over older ones.
type clearing struct{ out io.Writer }

// Write implements [io.Writer].
func (c clearing) Write(p []byte) (int, error) {
	_, err := c.out.Write(bytes.ReplaceAll(p, []byte("\n"), []byte(right+"\n")))
	return len(p), err
}
