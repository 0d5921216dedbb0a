package replay

import (
	"fmt"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/sim/history/regression"
)

// estimateAfter is how many answers there must be before the remaining time is estimated.
const estimateAfter = 3

// Progress reports how far the asking has come: on a terminal with each answer, elsewhere at
// each tenth and at the first estimate.
type Progress struct {
	*terminal.Line
	Compared bool // report how many decide the same

	same int
}

// answered reports one more answer.
func (p *Progress) answered(n, all int, same bool, pace *regression.Pace, left fsm.Millis) {
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
	if p.Terminal || n == all || n*10/all > (n-1)*10/all || n == estimateAfter {
		p.Print(line)
	}
}

// End ends the line and restarts the count.
func (p *Progress) End() {
	p.Line.End()
	p.same = 0
}
