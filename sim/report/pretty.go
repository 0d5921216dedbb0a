package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"shelly/fsm/wording"
	"shelly/sim/scenario/judge"
)

// Options says what a report for people shows.
type Options struct {
	Verbose bool // a line for every case, not only for what did not pass
	Broken  bool // what is wrong with a file that does not load; else that has been told
	Times   bool // with Verbose, how long each case took
	Color   bool // the word that a case begins with is coloured as terminals do it
}

const (
	listFrom = 4  // cases that did not pass, from which on their commands are listed at the end
	listMax  = 50 // of them that are listed
)

// PrettyCase writes what a case came to, in one piece; nothing where it passed and
// nobody asked. Nothing in it, such as the name of a file, controls a terminal.
func PrettyCase(w io.Writer, c *Case, o Options) error {
	text := wording.Visible(prettyCase(c, o))
	if text == "" {
		return nil
	}
	if word, rest, _ := strings.Cut(text, " "); o.Color {
		text = "\x1b[" + colorOf(word) + "m" + word + "\x1b[0m " + rest
	}
	_, err := io.WriteString(w, text)
	return err
}

func prettyCase(c *Case, o Options) string {
	var b strings.Builder
	switch c.Status() {
	case Errored:
		load := c.loadError()
		switch {
		case load == nil:
			fmt.Fprintf(&b, "ERROR %s\n%s\n", c.Title(), indent(c.Err.Error()))
		case o.Broken:
			fmt.Fprintf(&b, "ERROR %s\n%s\n", c.Title(), indent(load.Detail()))
		}
	case Failed:
		b.WriteString(judge.Tell(c.Title(), c.Failures) + "\n" + c.Property.told())
		if c.Live != nil {
			fmt.Fprintf(&b, "  %s\n\n", wording.OneLine(c.Live.String()))
		}
	case Differs:
		fmt.Fprintf(&b, "DIFFERS %s\n  %s:%d: two runs gave two traces\n  again: %s\n\n", c.Title(), c.File, c.Line, c.again())
	case Skipped:
		if o.Verbose || c.ByFile {
			fmt.Fprintf(&b, "skip %s  %s: %s\n", c.File, c.Name, wording.OneLine(c.Skipped))
		}
	case Passed:
		switch {
		case c.short() && !o.Verbose:
			fmt.Fprintf(&b, "short %s  %s: its budget is over (%s)\n", c.File, c.Name, c.Property.figures(c.Took))
		case o.Verbose && c.Property != nil:
			fmt.Fprintf(&b, "ok   %s  %s (%s)\n", c.File, c.Name, c.Property.figures(c.Took))
		case o.Verbose:
			fmt.Fprintf(&b, "ok   %s  %s (%s", c.File, c.Name, wording.Count(c.Steps, "step"))
			if c.Points > 0 {
				fmt.Fprintf(&b, ", %s", wording.Count(c.Points, "crash point"))
			}
			if c.Live != nil {
				fmt.Fprintf(&b, ", %s", wording.OneLine(c.Live.String()))
			}
			if len(c.StraightOnly) > 0 {
				fmt.Fprintf(&b, "; held only without a crash: %s", strings.Join(c.StraightOnly, ", "))
			}
			b.WriteString(")" + o.took(c) + "\n")
		}
	}
	return b.String()
}

// took is how long a case took, where that is wanted and known.
func (o Options) took(c *Case) string {
	if !o.Times || c.Took <= 0 {
		return ""
	}
	return "  " + duration(c.Took)
}

// duration is a time on the wall with a tenth of a millisecond, or from a second on with
// milliseconds.
func duration(d time.Duration) string {
	if d < time.Second {
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// Slowest writes the n slowest cases of those that were played, the slowest first
// (SCN-64).
func Slowest(w io.Writer, r *Run, n int) error {
	var played []*Case
	for i := range r.Cases {
		if c := &r.Cases[i]; c.Status() != Skipped && c.Took > 0 {
			played = append(played, c)
		}
	}
	slices.SortStableFunc(played, func(a, b *Case) int { return cmp.Compare(b.Took, a.Took) })
	played = played[:min(n, len(played))]
	if len(played) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("slowest:\n")
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range played {
		fmt.Fprintf(t, "  %s\t%s:%d\t%s\n", duration(c.Took), c.File, c.Line, wording.OneLine(c.Title()))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, wording.Visible(b.String())+"\n")
	return err
}

// colorOf is the colour of the word that a case begins with, as a parameter of SGR (ECMA-48).
func colorOf(word string) string {
	switch word {
	case "ok":
		return "32"
	case "skip", "short":
		return "33"
	default:
		return "31"
	}
}

// indent puts two blanks before each line.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// PrettyEnd writes what comes after the cases: the coverage where one is wanted,
// where many did not pass how to run each again, and the summary line, which is the
// last one.
func PrettyEnd(w io.Writer, r *Run, o Options) error {
	text := list(r.Cases) + crashes(r.Cases, o) + Summary(r) + "\n"
	if r.Coverage != nil {
		text = r.Coverage.String() + "\n" + text
	}
	_, err := io.WriteString(w, wording.Visible(text))
	return err
}

// crashes counts the crash points, and how what follows them was judged (SIM-6).
func crashes(cases []Case, o Options) string {
	n, points, unknown, raced, straight := 0, 0, 0, 0, 0
	for i := range cases {
		if c := &cases[i]; c.Points > 0 {
			n, points, unknown, raced = n+1, points+c.Points, unknown+c.Unknown, raced+c.Raced
			straight += len(c.StraightOnly)
		}
	}
	if n == 0 {
		return ""
	}
	names := ""
	if straight > 0 && !o.Verbose {
		names = " (-v names them)"
	}
	return fmt.Sprintf("%s crashed at each of %s; outcome not compared: %d unknown, %d met by another input\n"+
		"held only without a crash: %s%s\n",
		wording.Count(n, "case"), wording.Count(points, "point"), unknown, raced, wording.Count(straight, "expectation"), names)
}

// list names the cases that did not pass, each on a line that a shell can run.
func list(cases []Case) string {
	var lines []string
	for i := range cases {
		c := &cases[i]
		if c.Status().Fails() {
			lines = append(lines, fmt.Sprintf("  %s  # %s\n", c.again(), wording.OneLine(c.Title())))
		}
	}
	if len(lines) < listFrom {
		return ""
	}
	if rest := len(lines) - listMax; rest > 0 {
		lines = append(lines[:listMax], fmt.Sprintf("  and %d more\n", rest))
	}
	return "failed:\n" + strings.Join(lines, "") + "\n"
}

// again is the command that runs the case once more.
func (c *Case) again() string {
	if c.command != "" {
		return c.command
	}
	for _, f := range c.Failures {
		if f.Again != "" {
			return f.Again
		}
	}
	if c.Differs {
		return c.Again() + " --twice"
	}
	return c.Again()
}

// Summary counts on one line how the cases ended, and tells how long they took.
func Summary(r *Run) string {
	n := r.Count()
	text := fmt.Sprintf("%d passed, %d failed", n.Passed, n.Failed)
	for _, more := range []struct {
		n    int
		what string
	}{{n.Differ, "with two traces"}, {n.Errors, "not judged"}, {n.Skipped, "skipped"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	if n.ByFile > 0 {
		text += fmt.Sprintf(" (%d by their files)", n.ByFile)
	}
	if r.Took > 0 {
		text += " in " + r.Took.Round(time.Millisecond).String()
	}
	return text
}
