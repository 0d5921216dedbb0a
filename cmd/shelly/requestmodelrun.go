package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/replay"
	"shelly/fsm/engine/regression"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

// modelSide is a model and the connection to it.
type modelSide struct {
	replay.Side
	client *ollama.Client
}

// sides finds the model that is asked, and the one that it is held against, if it is
// not the record. A model that cannot do what the questions need is said here.
func (c *requestReplayCmd) sides(ctx context.Context, brain config.Brain, questions []regression.Question) (now modelSide, against *modelSide, err error) {
	brain.EmbedModel = "" // nothing is embedded
	client, err := ollama.New(askingOptions(brain))
	if err != nil {
		return modelSide{}, nil, exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	if now, err = side(ctx, client, brain.Model, c.Repeat, questions); err != nil {
		return modelSide{}, nil, err
	}
	if c.Against == againstRecorded {
		return now, nil, nil
	}
	other, err := side(ctx, client, c.Against, 1, questions)
	return now, &other, err
}

// side looks at a model before it is asked.
func side(ctx context.Context, client *ollama.Client, name string, repeat int, questions []regression.Question) (modelSide, error) {
	none := func(err error) (modelSide, error) { return modelSide{}, exit.With(exit.Unreachable, err) }
	name, _, err := client.With(name, "").Choose(ctx)
	if err != nil {
		return none(err)
	}
	models, err := client.Models(ctx)
	if err != nil {
		return none(err)
	}
	can, err := client.Show(ctx, name)
	if err != nil {
		return none(err)
	}
	tools := slices.ContainsFunc(questions, func(q regression.Question) bool { return len(q.Tools) > 0 })
	if tools && (!can.Tools && !client.Describes() || !can.Completion) {
		return none(fmt.Errorf("%s cannot call tools, and the questions offer some: name one that can, or ask with --purpose summary", name))
	}
	if think := client.Thinks(); think != "" && think != "false" && !can.Thinking {
		return none(fmt.Errorf("%s cannot think: set brain.think to model or false", name))
	}
	model := regression.Model{Name: name, Server: client.BaseURL()}
	for _, m := range models {
		if ollama.SameModel(m.Name, name) { // with its tag, so that one model has one file of answers
			model.Name, model.Digest = m.Name, m.Digest
		}
	}
	client = client.With(model.Name, "")
	return modelSide{replay.Side{Client: client, Repeat: max(repeat, 1), Model: model}, client}, nil
}

// modelRun is one run of `request replay` with a model.
type modelRun struct {
	cmd     *requestReplayCmd
	t       *terminal
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
		fmt.Fprintf(r.t.err, "%s for %s at %s: %d to ask, about %d prompt tokens", count(len(r.found.Questions), "question"),
			p.Side.Name, p.Side.Server, p.Ask(), p.Tokens)
		if p.Kept > 0 {
			fmt.Fprintf(r.t.err, "; %s kept from before", count(p.Kept, "answer"))
		}
		fmt.Fprintln(r.t.err)
	}
	long := 0
	for _, q := range r.found.Questions {
		if q.Estimate() > numCtx {
			long++
		}
	}
	if long > 0 {
		fmt.Fprintf(r.t.err, "%s may be longer than num_ctx, %d tokens: set brain.num_ctx\n", count(long, "prompt"), numCtx)
	}
	fmt.Fprintf(r.t.err, "answers go to %s\n", file)
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
		replay.Table(r.t.out, report, r.cmd.Verbose)
		return nil
	}
	enc := json.NewEncoder(r.t.out)
	enc.SetIndent("", "  ")
	return enc.Encode(report)
}
