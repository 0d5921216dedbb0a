package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/ollama"
	"shelly/sim/history/redact"
)

// Flags are those flags of `request replay` that choose the model and the questions. They have
// the tag asking, because they mean nothing if no model is asked.
type Flags struct {
	Model     string `asking:"" placeholder:"NAME" help:"Ask this model the recorded questions."`
	Against   string `asking:"" default:"recorded" placeholder:"NAME" help:"Compare with another model's answers."`
	Repeat    int    `asking:"" default:"1" placeholder:"N" help:"Ask each question N times."`
	Until     string `asking:"" placeholder:"WHEN" help:"Only questions before this; an age or a date."`
	Session   string `asking:"" placeholder:"NAME" help:"Only questions of this session."`
	Purpose   string `asking:"" placeholder:"LIST" help:"Only these purposes: answer,summary,…"`
	Limit     int    `asking:"" placeholder:"N" help:"Only the latest N questions."`
	FailUnder int    `asking:"" default:"100" placeholder:"PERCENT" help:"Exit with 1 if fewer decide the same."`
	Out       string `asking:"" type:"path" placeholder:"FILE" help:"File for the answers. Default: in the data folder."`
	DryRun    bool   `asking:"" help:"Only print what would be asked."`
	Verbose   bool   `asking:"" short:"v" help:"Show both sides of each difference."`
}

// Validate refuses numbers that would count as others. The parser calls it.
func (f *Flags) Validate() error {
	switch {
	case f.Repeat < 1:
		return fmt.Errorf("--repeat: %d is not a number of times; give 1 or more", f.Repeat)
	case f.Limit < 0:
		return fmt.Errorf("--limit: %d is negative; give a number, or 0 for all", f.Limit)
	case f.FailUnder < 0 || f.FailUnder > 100:
		return fmt.Errorf("--fail-under: %d is not a percentage; give a number from 0 to 100", f.FailUnder)
	}
	return nil
}

// againstRecorded is the default of --against.
const againstRecorded = "recorded"

// Asks reports whether a model is to be asked: one is named, or --set changes what it is asked,
// or how.
func (f *Flags) Asks(set []string) bool {
	return f.Model != "" || slices.ContainsFunc(set, func(kv string) bool {
		key, _, _ := strings.Cut(kv, "=")
		return changesAsking(key)
	})
}

// changesAsking reports whether a key changes what a model is asked, or how.
func changesAsking(key string) bool {
	return strings.HasPrefix(key, "brain.") || strings.HasPrefix(key, "prompts.")
}

// Asking is one `request replay` that asks a model.
type Asking struct {
	Flags
	flags.Place
	IDs     []string // the requests whose questions are asked; empty: all
	Since   string
	Channel string
	JSON    bool
	Find    func(j engine.Reader, id string) (fsm.RequestKey, error)

	HTML     string // a file to write too; empty: none
	Redactor func() (*redact.Redactor, error)
}

// Run asks a model the recorded questions (CLI-18).
func (c *Asking) Run(t *terminal.Terminal) error {
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
	cfg.Brain.EmbedModel = "" // nothing is embedded
	client, err := ollama.New(brain.Options(cfg.Brain))
	if err != nil {
		return exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	defer client.Close()
	now, against, err := c.sides(ctx, client, cfg.Brain.Model, found.Questions)
	if err != nil {
		return err
	}
	answers, err := c.openAnswers(cfg.Data, now)
	if err != nil {
		return err
	}
	run := &modelRun{
		cmd: c, t: t, found: found, now: now, against: against, changes: changes,
		work: &Work{Answers: answers, Now: time.Now, Tell: &Progress{Line: terminal.NewLine(t.Err)}},
	}
	run.plan(answersName(c.Out, cfg.Data, now), cfg.Brain.NumCtx)
	if c.DryRun {
		return answers.Close()
	}
	return errors.Join(run.run(ctx), answers.Close())
}
