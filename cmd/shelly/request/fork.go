package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/sim/history/export"
	"shelly/sim/history/fork"
)

type forkCmd struct {
	ID      string        `arg:"" help:"Request to fork, or a run such as h12."`
	At      int           `required:"" placeholder:"STEP" help:"Step to change (numbers as in request show)."`
	Edit    []string      `placeholder:"KEY=VALUE" sep:"none" help:"Change the step's input: KEY=VALUE or KEY=@FILE; may be repeated."`
	Brain   string        `placeholder:"KIND" help:"What answers from there on: ollama, auto or demo."`
	Model   string        `placeholder:"NAME" help:"Chat model. Default: the configured one."`
	Timeout time.Duration `default:"10m" help:"Time limit for the whole fork (default ${default})."`
	flags.AsJSON
	Output string   `short:"o" placeholder:"FILE" help:"Write the fork as a replay for shelly test, with secrets replaced as in export."`
	Force  bool     `help:"Overwrite an existing file."`
	Secret []string `placeholder:"VALUE|@FILE" sep:"none" help:"With -o: a text to remove too, or a file with one; may be repeated."`
	journalled
}

// Help is the text after the usage.
func (forkCmd) Help() string {
	return "Shows what would have happened. Keys of --edit: text (request); says, calls (model); result, failed (tool); recalled; approve, reason (decision). " +
		"--set of prompts, limits, switches and brain applies from the step on. The model is really asked; tools answer " +
		"from the record, and a call that is not in it is refused."
}

// Validate refuses a time limit that is over at once. The parser calls it.
func (c *forkCmd) Validate() error {
	if c.Timeout <= 0 {
		return fmt.Errorf("--timeout: %s is not a time limit; give one such as 10m", c.Timeout)
	}
	return nil
}

// Run implements the subcommand (CLI-23).
func (c *forkCmd) Run(t *terminal.Terminal) (err error) {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	w := &written{File: output.File{Name: c.Output, Force: c.Force}}
	if err := cmp.Or(output.Other("-o", c.Output, "both paths"), w.Free()); err != nil {
		return err
	}
	point, err := c.point()
	if err != nil {
		return err
	}
	change, err := c.change(&point, cfg)
	if err != nil {
		return err
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	m := &forkModel{ctx: ctx, brain: cfg.Brain, err: t.Err}
	result, err := fork.Run(point, change, m.answer)
	if err != nil && !errors.Is(err, fork.ErrSteps) {
		return c.ended(ctx, err)
	}
	if err != nil {
		err = exit.With(exit.Failed, err) // the steps so far are printed
	}
	told := newForkTold(point, result, m)
	if c.JSON {
		err = errors.Join(err, told.json(t))
	} else {
		told.print(t.Out)
	}
	if c.Output != "" {
		by, wrong := secrets.Redactor(cfg, c.Secret)
		if wrong == nil {
			wrong = w.write(t, export.Forked(point, result), by, "the fork is not written")
		}
		err = errors.Join(err, wrong)
	}
	if len(result.Violations) > 0 {
		return errors.Join(err, exit.Errorf(exit.Internal, "an invariant does not hold in the fork; please report this: %s", result.Violations[0]))
	}
	return err
}

// config returns the configuration with the flags that choose the model.
func (c *forkCmd) config() (config.Config, error) {
	if err := c.ReadPrompts(); err != nil {
		return config.Config{}, err
	}
	cfg, err := c.Load(append(flags.Given("--brain", "brain.kind", c.Brain), flags.Given("--model", "brain.model", c.Model)...)...)
	cfg.Brain.OnUnreachable = "exit" // a fork does not wait for a server
	return cfg, err
}

// point finds the step.
func (c *forkCmd) point() (_ fork.Point, err error) {
	j, err := c.open()
	if err != nil {
		return fork.Point{}, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	h, err := c.history(j, c.ID)
	if err != nil {
		return fork.Point{}, err
	}
	point, err := fork.At(j, h, c.At)
	if errors.Is(err, fork.ErrNoPoint) {
		return point, exit.With(exit.Usage, err)
	}
	return point, exit.History(err)
}

// change returns what the flags change.
func (c *forkCmd) change(p *fork.Point, cfg config.Config) (fork.Change, error) {
	var change fork.Change
	sets, err := c.Sets()
	if err != nil {
		return change, err
	}
	var keys []string
	asked := c.Brain != "" || c.Model != ""
	for _, s := range sets {
		if s.Key == "data" {
			continue
		}
		keys = append(keys, s.Key)
		asked = asked || strings.HasPrefix(s.Key, "brain.") || strings.HasPrefix(s.Key, "prompts.")
	}
	if len(keys) > 0 {
		now, err := cfg.Over(p.Config(), keys)
		if err != nil {
			return change, exit.Errorf(exit.Usage, "--set %w", err)
		}
		change.Config = &now
	}
	edits, err := readEdits(c.Edit)
	if err != nil {
		return change, err
	}
	if len(edits) > 0 {
		if change.Input, err = p.Edited(edits); err != nil {
			return change, exit.Errorf(exit.Usage, "--edit %w", err)
		}
	}
	change.AskAgain = asked && p.Answers() && len(edits) == 0
	return change, nil
}

// readEdits reads the values of --edit.
func readEdits(given []string) ([]fork.Edit, error) {
	var edits []fork.Edit
	for _, kv := range given {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			return nil, exit.Errorf(exit.Usage, "--edit %s: write KEY=VALUE, such as --edit result='no such file'", kv)
		}
		text, err := flags.Text(value)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--edit %s: %w", key, err)
		}
		edits = append(edits, fork.Edit{Key: key, Value: text})
	}
	return edits, nil
}

// ended words why a fork did not finish.
func (c *forkCmd) ended(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return exit.Errorf(exit.Failed, "the fork took longer than --timeout, %s; nothing was done", c.Timeout)
	case ctx.Err() != nil:
		return exit.Interrupted(ctx, "nothing was done; run it again")
	default:
		return err
	}
}

// forkModel asks the model for a fork. It connects at the first question, because a fork may
// ask none.
type forkModel struct {
	ctx   context.Context
	brain config.Brain
	err   io.Writer
	open  *brain.Brain

	asked  []forkQuestion
	tokens fsm.Tokens
}

// forkQuestion is one question as --json prints it.
type forkQuestion struct {
	Purpose  fsm.Purpose    `json:"purpose"`
	Messages int            `json:"messages"`
	Tokens   fsm.Tokens     `json:"tokens,omitzero"`
	TookMS   int64          `json:"took_ms"`
	Failed   fsm.BrainClass `json:"failed,omitempty"`
}

// answer is a [fork.Brain].
func (m *forkModel) answer(ask fsm.AskBrain, tools []fsm.ToolDecl) (fsm.Input, error) {
	if m.open == nil {
		b, err := brain.Open(m.ctx, m.brain, slog.New(slog.DiscardHandler))
		if err != nil {
			return fsm.Input{}, err
		}
		m.open = &b
		fmt.Fprintf(m.err, "· %s answers\n", b.About())
	}
	q := forkQuestion{Purpose: ask.Purpose, Messages: len(ask.Messages())}
	fmt.Fprintf(m.err, "· question %d (%s): %s, %s\n", len(m.asked)+1, ask.Purpose, wording.Count(q.Messages, "message"), wording.Count(len(tools), "tool"))
	began := time.Now()
	said, err := m.open.Chat(m.ctx, ask, tools, func(daemon.Piece) {})
	if m.ctx.Err() != nil {
		return fsm.Input{}, m.ctx.Err()
	}
	took := time.Since(began)
	q.TookMS, q.Tokens = took.Milliseconds(), said.Tokens
	in := fsm.Input{At: fsm.Millis(q.TookMS), Fact: engine.Outcome(ask.Call).Brain(said, err)}
	if failed, ok := in.Fact.(fsm.BrainFailed); ok {
		q.Failed = failed.Class
	}
	m.tokens.Prompt += q.Tokens.Prompt
	m.tokens.Answer += q.Tokens.Answer
	m.asked = append(m.asked, q)
	return in, nil
}

// about describes the model that answered; empty if none was asked.
func (m *forkModel) about() string {
	if m.open == nil {
		return ""
	}
	return m.open.About()
}
