package chat

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// What the screen writes to the terminal besides text (ECMA-48, and xterm's private modes).
const (
	lineRight   = "\x1b[K" // clear to the right of the cursor
	screenBelow = "\x1b[J" // clear below it
	hideCursor  = "\x1b[?25l"
	showCursor  = "\x1b[?25h"
	windowTop   = "\x1b[H"      // move to the window's first row
	syncBegin   = "\x1b[?2026h" // show nothing until the frame is complete, if the terminal supports that
	syncEnd     = "\x1b[?2026l"
	pasteOn     = "\x1b[?2004h" // pasted text arrives as one event
	pasteOff    = "\x1b[?2004l"
	keysOn      = "\x1b[>1u" // shift-enter differs from enter, if the terminal supports that
	keysOff     = "\x1b[<u"
)

// screen draws frames at the cursor. Lines that stay come first, so that they scroll away as
// any output does; the live lines below them replace the previous live lines.
type screen struct {
	out     io.Writer
	columns int      // of the window
	lines   []string // the live lines as they were drawn
	x, y    int      // the cursor in them
	wrapped bool     // the terminal has wrapped them since
}

// resize takes a new width: the terminal has rewrapped what was drawn.
func (s *screen) resize(columns int) {
	if columns = max(columns, 1); columns < s.columns {
		y := 0
		for _, line := range s.lines[:min(s.y, len(s.lines))] {
			y += max((ansi.StringWidth(line)+columns-1)/columns, 1)
		}
		s.y = y + s.x/columns
		s.lines, s.wrapped = nil, true // none of them is where it was
	}
	s.columns = columns
}

// clear scrolls all that the window of so many rows shows into the scrollback, also what others have
// written there. The next frame begins at the top.
func (s *screen) clear(rows int) error {
	if err := s.draw(nil, nil, 0, 0); err != nil {
		return err
	}
	s.lines, s.x, s.y = nil, 0, 0
	_, err := io.WriteString(s.out, strings.Repeat("\r\n", rows)+windowTop)
	return err
}

// draw draws a frame.
func (s *screen) draw(above, live []string, x, y int) error {
	var b strings.Builder
	b.WriteString(syncBegin + hideCursor + "\r")
	if s.y > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.y)
	}
	if len(above) > 0 {
		s.lines = nil
	}
	first := "" // a row that belongs to a wrapped line is joined to the next one in a wider window, unless it was cleared whole
	if s.wrapped {
		first = lineRight
	}
	for _, line := range above {
		b.WriteString(first + line + lineRight + "\r\n")
	}
	for i, line := range live {
		line = ansi.Truncate(line, max(s.columns-1, 1), "")
		live[i] = line
		if i > 0 {
			b.WriteString("\r\n")
		}
		if i >= len(s.lines) || s.lines[i] != line || i == len(live)-1 {
			b.WriteString(first + line + lineRight)
		}
	}
	// The rest of the last frame is below. It is not cleared from the first column on, because
	// some terminals would take that for a full clear and save the screen in the scrollback.
	if len(live) > 0 {
		b.WriteString(screenBelow)
	} else {
		b.WriteString(lineRight + "\r\n" + screenBelow + "\x1b[A")
	}
	b.WriteString("\r")
	if up := len(live) - 1 - y; up > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", up)
	}
	if x > 0 {
		fmt.Fprintf(&b, "\x1b[%dC", x)
	}
	b.WriteString(showCursor + syncEnd)
	s.lines, s.x, s.y, s.wrapped = append([]string{}, live...), x, y, false
	_, err := io.WriteString(s.out, b.String())
	return err
}
