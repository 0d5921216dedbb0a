package replay

import (
	"context"
	"errors"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim/history/regression"
)

// modelRun is one run of `request replay` with a model.
type modelRun struct {
	cmd     *Asking
	t       *terminal.Terminal
	found   regression.Found
	changes []string
	now     Side
	against *Side // nil: the recorded answers
	work    *Work
	plans   []Plan // in the order of asking
	kept    int
}

// plan reports what will be asked. All questions go to one model before the other, so that a
// server that holds one model at a time loads each once.
func (r *modelRun) plan(file string, numCtx int) {
	if r.against != nil {
		r.plans = append(r.plans, r.work.Plan(r.found.Questions, *r.against))
	}
	r.plans = append(r.plans, r.work.Plan(r.found.Questions, r.now))
	for _, p := range r.plans {
		r.kept += p.Kept
		fmt.Fprintf(r.t.Err, "%s for %s at %s: %d to ask, about %d prompt tokens", wording.Count(len(r.found.Questions), "question"),
			p.Side.Name, p.Side.Server, p.Ask(), p.Tokens)
		if p.Kept > 0 {
			fmt.Fprintf(r.t.Err, "; %s kept from before", wording.Count(p.Kept, "answer"))
		}
		fmt.Fprintln(r.t.Err)
	}
	long := 0
	for _, q := range r.found.Questions {
		if q.Estimate() > numCtx {
			long++
		}
	}
	if long > 0 {
		fmt.Fprintf(r.t.Err, "%s may be longer than num_ctx, %d tokens: set brain.num_ctx\n", wording.Count(long, "prompt"), numCtx)
	}
	fmt.Fprintf(r.t.Err, "answers go to %s\n", file)
}

// run asks the questions, and reports the answers that there are however the asking ended.
func (r *modelRun) run(ctx context.Context) error {
	var ended error
	for i, p := range r.plans {
		r.work.Tell.Compared = i == len(r.plans)-1 && r.against == nil
		ended = r.work.Ask(ctx, p)
		r.work.Tell.End()
		if ended != nil {
			break
		}
	}
	stopped := Stopped{}
	if ended != nil && !errors.As(ended, &stopped) {
		return exit.With(exit.Disk, ended)
	}
	report := r.report(ended)
	if err := r.print(report); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case ended != nil:
		return exit.Errorf(exit.Unreachable, "%w; the answers so far are kept; run it again to continue", ended)
	case !report.Totals.AtLeast(r.cmd.FailUnder):
		return exit.Silent(exit.Failed)
	}
	return nil
}

func (r *modelRun) report(ended error) *regression.Report {
	report := &regression.Report{
		Version: regression.Version, Model: r.now.Model, Set: r.changes, Repeat: r.now.Repeat,
		Questions: len(r.found.Questions), Kept: r.kept, Unanswered: r.found.Unanswered, Unasked: r.found.Unasked, Cases: []regression.Case{},
	}
	if r.against != nil {
		report.Against = &r.against.Model
	}
	if ended != nil {
		report.Interrupted = ended.Error()
	}
	report.Left = r.work.Fill(report, r.found.Questions, r.now, r.against)
	report.Total()
	report.Sort()
	return report
}

func (r *modelRun) print(report *regression.Report) error {
	if err := r.cmd.html(report); err != nil {
		return err
	}
	if !r.cmd.JSON {
		Table(r.t.Out, report, r.cmd.Verbose)
		return nil
	}
	return r.t.JSON(report)
}
