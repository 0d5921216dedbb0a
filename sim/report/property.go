package report

import (
	"fmt"
	"strings"
	"time"

	"shelly/fsm/wording"
)

// Property is what came of a property beside what did not hold (PRP-9).
type Property struct {
	Seeds       int       `json:"seeds"`       // cases that were to be made
	Runs        int       `json:"runs"`        // cases that were made and played
	Regressions int       `json:"regressions"` // cases that were played before
	Cover       []Reached `json:"cover"`
	Wrote       string    `json:"wrote,omitempty"`  // the file that was written of the case that failed
	Source      string    `json:"source,omitempty"` // that case, where no file was written
}

// Reached is in how many cases a cover expression was true.
type Reached struct {
	Name    string `json:"name"`
	Runs    int    `json:"runs"`
	AtLeast string `json:"at_least"` // the share that the file asks for
}

// figures are what a property came to on one line, took its time on the wall.
func (p *Property) figures(took time.Duration) string {
	text := wording.Count(p.Runs, "case")
	if p.Runs < p.Seeds {
		text = fmt.Sprintf("%d of %s", p.Runs, wording.Count(p.Seeds, "case"))
	}
	if took >= time.Millisecond {
		text += fmt.Sprintf(", %d a second", int64(p.Runs)*int64(time.Second)/int64(took))
	}
	if p.Regressions > 0 {
		text += ", " + wording.Count(p.Regressions, "regression")
	}
	for _, c := range p.Cover {
		text += fmt.Sprintf("; %s in %s", c.Name, share(c.Runs, p.Runs))
	}
	return text
}

// share is a part of all in percent with one decimal.
func share(part, all int) string {
	if all == 0 {
		return "0%"
	}
	thousandths := part * 1000 / all
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", thousandths/10, thousandths%10), ".0") + "%"
}

// short reports whether time was over before all cases were made.
func (c *Case) short() bool {
	return c.Property != nil && c.Err == nil && len(c.Failures) == 0 && c.Skipped == "" && c.Property.Runs < c.Property.Seeds
}

// told is the case that failed, where no file holds it.
func (p *Property) told() string {
	if p == nil || p.Source == "" {
		return ""
	}
	return "  the case:\n" + indent(indent(p.Source)) + "\n"
}
