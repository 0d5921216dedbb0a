package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/request/replay"
	"shelly/history/regression"
)

// otherModel is the flags of `request replay` that ask a model.
type otherModel struct {
	Model     string `placeholder:"NAME" help:"Ask this model the recorded questions."`
	Against   string `default:"recorded" placeholder:"NAME" help:"Compare with another model's answers."`
	Repeat    int    `default:"1" placeholder:"N" help:"Ask each question so often."`
	Until     string `placeholder:"AGE" help:"Questions before then; AGE or a date."`
	Session   string `placeholder:"NAME" help:"Questions of this session."`
	Purpose   string `placeholder:"LIST" help:"Of these purposes: answer,summary,…"`
	Limit     int    `placeholder:"N" help:"The latest N questions."`
	FailUnder int    `default:"100" placeholder:"PERCENT" help:"End with 1 when fewer are the same."`
	Out       string `type:"path" placeholder:"FILE" help:"File of answers. Default: in the data folder."`
	DryRun    bool   `help:"Print what would be asked."`
	Verbose   bool   `short:"v" help:"Show both sides of each difference."`
}

// againstRecorded is what --against says by default.
const againstRecorded = "recorded"

// asks reports whether a model is to be asked.
func (o *otherModel) asks(set []string) bool {
	for _, kv := range set {
		if key, _, _ := strings.Cut(kv, "="); askedWith(key) {
			return true
		}
	}
	return o.Model != ""
}

// askedWith reports whether a key changes what a model is asked, or how.
func askedWith(key string) bool {
	return strings.HasPrefix(key, "brain.") || strings.HasPrefix(key, "prompts.")
}

// ask asks a model the recorded questions (CLI-18).
func (c *replayCmd) ask(t *terminal.Terminal) error {
	ctx, done := exit.Interruptible()
	defer done()
	changes, cfg, err := c.changes()
	if err != nil {
		return err
	}
	found, err := c.questions(ctx, cfg, changes)
	if err != nil {
		return err
	}
	now, against, err := c.sides(ctx, cfg.Brain, found.Questions)
	if err != nil {
		return err
	}
	defer now.client.Close()
	answers, err := c.openAnswers(cfg.Data, now.Side)
	if err != nil {
		return err
	}
	run := &modelRun{
		cmd: c, t: t, found: found, now: now.Side, changes: changes,
		work: &replay.Work{Answers: answers, Now: time.Now, Tell: newProgress(t)},
	}
	if against != nil {
		run.against = &against.Side
	}
	run.plan(answersName(c.Out, cfg.Data, now.Side), cfg.Brain.NumCtx)
	if c.DryRun {
		return answers.Close()
	}
	return errors.Join(run.run(ctx), answers.Close())
}

func newProgress(t *terminal.Terminal) *replay.Progress {
	return &replay.Progress{Out: t.Err, Terminal: terminal.Is(t.Err)}
}

// modelRun is one run of `request replay` with a model.
type modelRun struct {
	cmd     *replayCmd
	t       *terminal.Terminal
	found   regression.Found
	changes []string
	now     replay.Side
	against *replay.Side // nil: the record
	work    *replay.Work
	plans   []replay.Plan // in the order in which they are asked
	kept    int
}

// plan says what is to be asked. One model is asked all before the other, so that a
// server that holds one at a time loads each once.
func (r *modelRun) plan(file string, numCtx int) {
	if r.against != nil {
		r.plans = append(r.plans, r.work.Plan(r.found.Questions, *r.against))
	}
	r.plans = append(r.plans, r.work.Plan(r.found.Questions, r.now))
	for _, p := range r.plans {
		r.kept += p.Kept
		fmt.Fprintf(r.t.Err, "%s for %s at %s: %d to ask, about %d prompt tokens", quantity.Count(len(r.found.Questions), "question"),
			p.Side.Name, p.Side.Server, p.Ask(), p.Tokens)
		if p.Kept > 0 {
			fmt.Fprintf(r.t.Err, "; %s kept from before", quantity.Count(p.Kept, "answer"))
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
		fmt.Fprintf(r.t.Err, "%s may be longer than num_ctx, %d tokens: set brain.num_ctx\n", quantity.Count(long, "prompt"), numCtx)
	}
	fmt.Fprintf(r.t.Err, "answers go to %s\n", file)
}

// run asks, and reports what is there however the asking ended.
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
	stopped := replay.Stopped{}
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
		return exit.Errorf(exit.Unreachable, "%w; the answers so far are kept: start it again to go on", ended)
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
	if !r.cmd.JSON {
		replay.Table(r.t.Out, report, r.cmd.Verbose)
		return nil
	}
	enc := json.NewEncoder(r.t.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
