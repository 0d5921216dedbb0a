package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// clear clears to the right of the cursor, clearBelow also all lines below it (EL and ED of
// ECMA-48).
const clear, clearBelow = "\x1b[K", "\x1b[J"

// Line shows progress. On a terminal it is one line, redrawn in place and cut to its width;
// elsewhere, and on a terminal without cursor control, only texts that are worth a line are printed.
type Line struct {
	Out      io.Writer
	Terminal bool
	drawn    string
	below    bool // it is drawn below the cursor
}

// NewLine shows progress on an output.
func NewLine(out io.Writer) *Line { return &Line{Out: out, Terminal: Columns(out) > 0} }

// Draw shows a text on a terminal, unless it is shown already.
func (l *Line) Draw(text string) {
	if columns := Columns(l.Out); columns > 0 {
		text = ansi.Truncate(text, columns-1, "…")
	}
	if l.Terminal && text != l.drawn {
		fmt.Fprintf(l.Out, "\r%s%s", text, clear)
		l.drawn = text
	}
}

// DrawBelow shows a text on the line below the cursor, which stays where it is: at the end of a
// line that is being written.
func (l *Line) DrawBelow(text string) {
	if columns := Columns(l.Out); columns > 0 {
		text = ansi.Truncate(text, columns-1, "…")
	}
	if l.Terminal && (text != l.drawn || !l.below) {
		// VT makes room for the line, at the bottom by scrolling, and keeps the column; after
		// that the cursor can be saved.
		fmt.Fprintf(l.Out, "\v\x1b[A\x1b7\r\n%s%s\x1b8", text, clear)
		l.drawn, l.below = text, true
	}
}

// Redraw shows another text where one is shown.
func (l *Line) Redraw(text string) {
	switch {
	case l.below:
		l.DrawBelow(text)
	case l.drawn != "":
		l.Draw(text)
	}
}

// Every draws at intervals, until the returned function is called.
func Every(interval time.Duration, draw func()) (end func()) {
	tick, stop, ended := time.NewTicker(interval), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				draw()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(stop)
		<-ended
	}
}

const (
	laterAfter = time.Second // before which a command shows nothing
	laterEvery = 200 * time.Millisecond
)

// Later shows on a terminal, after a second, a text that may change: what a command does or waits
// for. The returned function removes it.
func (l *Line) Later(text func() string) (end func()) {
	if !l.Terminal {
		return func() {}
	}
	begun := time.Now()
	stop := Every(laterEvery, func() {
		if time.Since(begun) >= laterAfter {
			l.Draw(text())
		}
	})
	return func() {
		stop()
		l.Erase()
	}
}

// Print is Draw on a terminal, and prints a line elsewhere.
func (l *Line) Print(text string) {
	if l.Draw(text); !l.Terminal {
		fmt.Fprintln(l.Out, text)
	}
}

// Erase removes the line.
func (l *Line) Erase() {
	switch {
	case l.below:
		fmt.Fprint(l.Out, clearBelow)
	case l.drawn != "":
		fmt.Fprint(l.Out, "\r"+clear)
	}
	l.drawn, l.below = "", false
}

// End leaves the line on the screen and moves below it.
func (l *Line) End() {
	if l.drawn != "" {
		fmt.Fprintln(l.Out)
		l.drawn = ""
	}
}
