package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/runs"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim/report"
)

// teller reports the results of cases while they run, and a summary at the end.
type teller struct {
	*Command
	t        *terminal.Terminal
	log      io.Writer // the report for people
	progress *progress // the line below it, or nil
	pretty   report.Options
	runs     *runs.Recorder // nil: not asked for
	start    time.Time
	broken   []report.Case // files that do not load, in their order
	shown    int           // how many of them have been shown
	run      report.Run
	err      error // why the report could not be written
}

// teller returns a teller for a number of cases. A terminal gets the progress and colours,
// unless it cannot show them or NO_COLOR forbids colours.
func (c *Command) teller(t *terminal.Terminal, all int, broken []report.Case) *teller {
	told := &teller{
		Command: c, t: t, log: c.log(t), start: time.Now(), broken: broken,
		pretty: report.Options{Verbose: c.Verbose, Times: c.Verbose, Broken: c.onGitHub()},
	}
	if columns := terminal.Columns(t.Out); columns > 0 && c.Format == "pretty" && !c.onGitHub() {
		told.progress = &progress{line: terminal.Line{Out: t.Out, Terminal: true}, columns: columns, all: all}
		told.log = told.progress
		told.pretty.Color = os.Getenv("NO_COLOR") == ""
	}
	return told
}

// tell reports the next case.
func (t *teller) tell(c report.Case) {
	t.run.Cases = append(t.run.Cases, c)
	t.showBroken(c.File)
	t.show(c)
}

// showBroken shows the files that do not load and whose names sort before another file's; all of
// them if before is empty.
func (t *teller) showBroken(before string) {
	for t.shown < len(t.broken) && (before == "" || t.broken[t.shown].File < before) {
		t.show(t.broken[t.shown])
		t.shown++
	}
}

func (t *teller) show(c report.Case) {
	if t.Format != "json" && t.err == nil {
		t.err = errors.Join(t.runs.Print(t.log, &c), report.PrettyCase(t.log, &c, t.pretty))
	}
}

// end ends the report and chooses the exit code (SCN-9). All is the number of cases that were to
// be reported.
func (t *teller) end(ctx context.Context, all int) error {
	r := &t.run
	t.showBroken("")
	if c := t.Shard; c != nil {
		r.Shard = *c
	}
	if rest := all - len(r.Cases); rest > 0 {
		r.LeftOut = rest
		fmt.Fprintf(t.notes(t.t), "%s; %d of %d cases left out\n", t.why(ctx), rest, all)
	}
	r.Coverage, r.Took = t.cover(r.Cases), time.Since(t.start)
	r.Cases = slices.Concat(t.broken, r.Cases)
	slices.SortStableFunc(r.Cases, func(a, b report.Case) int { return cmp.Compare(a.File, b.File) })
	if err := errors.Join(t.err, t.summary(), t.writeJUnit(r), t.writeHTML(r, t.runs)); err != nil {
		return err
	}
	return t.code(ctx)
}

// summary writes the report for programs, or the end of the report for people, whose summary line
// comes after the annotations for GitHub.
func (t *teller) summary() error {
	if t.Format == "json" {
		t.run.Times = t.Times
		return report.JSON(terminal.Escaping(t.t.Out), &t.run)
	}
	var slowest error
	if t.Slowest != nil {
		slowest = report.Slowest(t.log, &t.run, *t.Slowest)
	}
	return errors.Join(slowest, t.tellGitHub(t.t, &t.run), report.PrettyEnd(t.log, &t.run, t.pretty))
}

// why returns why not all cases were reported.
func (t *teller) why(ctx context.Context) string {
	if ctx.Err() != nil {
		return "interrupted"
	}
	if t.failuresMax() > 1 {
		return fmt.Sprintf("stopped after %d failures", t.failuresMax())
	}
	return "stopped at the first failure"
}

// code returns the exit code: the gravest of those that apply.
func (t *teller) code(ctx context.Context) error {
	n, short := t.run.Count(), t.tooFew(t.run.Coverage)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case n.Errors > len(t.broken):
		return exit.Silent(exit.Internal)
	case len(t.broken) > 0:
		return loadFailure(t.broken)
	case n.Differ > 0:
		return exit.Silent(exit.Differs)
	case short != nil:
		return short
	case n.Failed > 0:
		return exit.Silent(exit.Failed)
	case n.Skipped > 0 && n.Passed == 0:
		fmt.Fprintf(t.errors(t.t), "shelly: nothing was played: %s\n", t.reasons())
		return exit.Silent(exit.NoMatch)
	}
	return nil
}

// reasons lists why cases were skipped on one line, each reason once.
func (t *teller) reasons() string {
	var list []string
	for _, c := range t.run.Cases {
		if why := wording.OneLine(c.Skipped); why != "" && !slices.Contains(list, why) {
			list = append(list, why)
		}
	}
	return strings.Join(list, "; ")
}
