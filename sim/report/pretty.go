package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"shelly/sim/scenario"
)

// Options says what a report shows.
type Options struct {
	Verbose bool          // a line for every case, not only for what failed (pretty only)
	Elapsed time.Duration // how long the run took; 0 is not shown (pretty only)
}

// Pretty writes a report for people: each failure, and a summary line.
func Pretty(w io.Writer, outcomes []scenario.Outcome, o Options) error {
	var b strings.Builder
	for i := range outcomes {
		writeOutcome(&b, &outcomes[i], o)
	}
	b.WriteString(summary(count(outcomes), o.Elapsed))
	_, err := io.WriteString(w, b.String())
	return err
}

func writeOutcome(b *strings.Builder, out *scenario.Outcome, o Options) {
	switch {
	case out.Err != nil:
		fmt.Fprintf(b, "ERROR %s\n  %s\n\n", title(out), strings.ReplaceAll(out.Err.Error(), "\n", "\n  "))
	case len(out.Failures) > 0:
		for _, f := range out.Failures {
			b.WriteString(f.String() + "\n")
		}
	case o.Verbose:
		fmt.Fprintf(b, "ok   %s  %s (%s", out.File, out.Name, plural(out.Steps, "step"))
		if out.Points > 0 {
			fmt.Fprintf(b, ", %s", plural(out.Points, "crash point"))
		}
		b.WriteString(")\n")
	}
}

// title names a case, or its file where it could not be loaded.
func title(out *scenario.Outcome) string {
	if out.Name == "" {
		return out.File
	}
	return out.Name
}

// counts is how many cases ended in which way.
type counts struct{ passed, failed, errors int }

func count(outcomes []scenario.Outcome) counts {
	var c counts
	for i := range outcomes {
		switch out := &outcomes[i]; {
		case out.Err != nil:
			c.errors++
		case !out.OK():
			c.failed++
		default:
			c.passed++
		}
	}
	return c
}

func summary(c counts, elapsed time.Duration) string {
	text := fmt.Sprintf("%d passed, %d failed", c.passed, c.failed)
	if c.errors > 0 {
		text += fmt.Sprintf(", %d not judged", c.errors)
	}
	if elapsed > 0 {
		text += " in " + elapsed.Round(time.Millisecond).String()
	}
	return text + "\n"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
