package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/runtime/ollama"
	"shelly/sim/history/regression"
)

// answersName returns the name of the file of answers: there is one for each model and set of
// options.
func answersName(out, data string, s Side) string {
	if out != "" {
		return out
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/\\: ", r) {
			return '-'
		}
		return r
	}, s.Name)
	return filepath.Join(data, "replay", fmt.Sprintf("%s-%.12s-%s.jsonl", name, s.Digest, s.Options()))
}

// openAnswers opens the file of answers; a dry run only reads it.
func (c *Asking) openAnswers(data string, s Side) (a *Answers, err error) {
	name := answersName(c.Out, data, s)
	if c.DryRun {
		a, err = Read(name)
	} else {
		if err := (output.File{Name: name, Force: true, Own: c.Out == ""}).Free(); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, exit.With(exit.Disk, err)
		}
		a, err = Open(name)
	}
	switch failed := (*fs.PathError)(nil); {
	case err == nil:
		return a, nil
	case errors.As(err, &failed) && !c.DryRun:
		return nil, exit.Errorf(exit.Disk, "the file of answers: %w", err)
	default:
		return nil, exit.Errorf(exit.Usage, "the file of answers: %w", err)
	}
}

// sides finds the model to ask, and the model to compare it with, if not the record. The error
// says what a model cannot do that the questions need.
func (c *Asking) sides(ctx context.Context, client *ollama.Client, model string, questions []regression.Question) (now Side, against *Side, err error) {
	if now, err = side(ctx, client, model, c.Repeat, questions); err != nil || c.Against == againstRecorded {
		return now, nil, err
	}
	other, err := side(ctx, client, c.Against, 1, questions)
	return now, &other, err
}

// side examines a model before it is asked.
func side(ctx context.Context, client *ollama.Client, name string, repeat int, questions []regression.Question) (Side, error) {
	none := func(err error) (Side, error) { return Side{}, exit.With(exit.Unreachable, err) }
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
		return none(fmt.Errorf("%s cannot call tools, and the questions offer some; name a model that can, or add --purpose summary", name))
	}
	if think := client.Thinks(); think != "" && think != "false" && !can.Thinking {
		return none(fmt.Errorf("%s cannot think; set brain.think to model or false", name))
	}
	model := regression.Model{Name: name, Server: client.BaseURL()}
	for _, m := range models {
		if ollama.SameModel(m.Name, name) { // use the name with its tag, so that one model has one file of answers
			model.Name, model.Digest = m.Name, m.Digest
		}
	}
	return Side{Client: client.With(model.Name, ""), Repeat: repeat, Model: model}, nil
}
