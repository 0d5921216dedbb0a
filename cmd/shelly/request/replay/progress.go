package replay

import (
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/fsm"
	"shelly/history/regression"
)

// estimateAfter is how many answers there must be before what is left is estimated.
const estimateAfter = 3

// Progress tells how far the asking has come: on a terminal in one line that is
// rewritten, elsewhere in a line every tenth of the way and one for the first estimate.
// A nil Progress tells nothing.
type Progress struct {
	Out      io.Writer
	Terminal bool
	Compared bool // say how many decide the same

	same  int
	drawn bool
}

// answered tells of one more answer.
func (p *Progress) answered(n, all int, same bool, pace *regression.Pace, left fsm.Millis) {
	if p == nil {
		return
	}
	if same {
		p.same++
	}
	line := fmt.Sprintf("%d of %d", n, all)
	if p.Compared {
		line += fmt.Sprintf(", %d %% same so far", 100*p.same/n)
	}
	if speed := pace.TokensPerSecond(); speed > 0 {
		line += fmt.Sprintf(", %d tokens/s", speed)
	}
	if pace.Answers() >= estimateAfter && n < all {
		line += ", about " + quantity.Time(time.Duration(left)*time.Millisecond) + " left"
	}
	switch {
	case p.Terminal:
		fmt.Fprintf(p.Out, "\r%s\x1b[K", line) // EL of ECMA-48 clears the rest of the line
		p.drawn = true
	case n == all || n*10/all > (n-1)*10/all || n == estimateAfter:
		fmt.Fprintln(p.Out, line)
	}
}

// End ends the line and begins the count anew.
func (p *Progress) End() {
	if p == nil {
		return
	}
	if p.drawn {
		fmt.Fprintln(p.Out)
	}
	p.same, p.drawn = 0, false
}
