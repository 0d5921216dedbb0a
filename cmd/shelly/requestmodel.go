package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/replay"
	"shelly/fsm"
	"shelly/fsm/engine/regression"
	"shelly/runtime/config"
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
func (c *requestReplayCmd) ask(t *terminal) error {
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

func newProgress(t *terminal) *replay.Progress {
	f, ok := t.err.(*os.File)
	return &replay.Progress{Out: t.err, Terminal: ok && isTerminal(f)}
}

// changes reads --set: what is sent to the model differently, and the configuration
// with it.
func (c *requestReplayCmd) changes() ([]string, config.Config, error) {
	p := c.place
	p.Set = nil
	for _, kv := range c.Set {
		key, value, _ := strings.Cut(kv, "=")
		if file, ok := strings.CutPrefix(value, "@"); ok && strings.HasPrefix(key, "prompts.") {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, config.Config{}, exit.Errorf(exit.Usage, "--set %s: %w", key, err)
			}
			kv = key + "=" + string(text)
		}
		if !askedWith(key) && key != "data" {
			return nil, config.Config{}, exit.Errorf(exit.Usage, "--set %s changes nothing that a model is asked: set brain.* or prompts.*", key)
		}
		p.Set = append(p.Set, kv)
	}
	cfg, err := p.load(given("--model", "brain.model", c.Model)...)
	return p.Set, cfg, err
}

// questions finds what is to be asked.
func (c *requestReplayCmd) questions(ctx context.Context, cfg config.Config, changes []string) (found regression.Found, err error) {
	src, err := sourceOf(ctx, cfg.Data)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	filter, err := c.filter(src)
	if err != nil {
		return found, err
	}
	prompts, err := changedPrompts(cfg, changes)
	if err != nil {
		return found, err
	}
	if found, err = regression.Questions(src, filter, prompts); err != nil {
		return found, unkept(err)
	}
	if n := len(found.Questions); c.Limit > 0 && n > c.Limit {
		found.Questions = found.Questions[n-c.Limit:]
	}
	if len(found.Questions) == 0 {
		return found, exit.Errorf(exit.NoMatch, "there is no recorded question to ask: %d have no recorded answer, %d cannot be asked with these prompts",
			found.Unanswered, len(found.Unasked))
	}
	for i := range found.Questions {
		setOptions(&found.Questions[i].Ask.Options, cfg, changes)
	}
	return found, nil
}

// setOptions puts in what was set of the options that travel with a question; the
// others are as they were recorded.
func setOptions(o *fsm.Options, cfg config.Config, changes []string) {
	set := func(key string) bool {
		return slices.ContainsFunc(changes, func(kv string) bool { return strings.HasPrefix(kv, key+"=") })
	}
	if set("brain.temperature") {
		o.Temperature = int(cfg.Brain.Temperature)
	}
	if set("brain.num_predict") { // which the recorded one would stand before
		o.MaxTokens = 0
	}
	if set("brain.max_tokens") {
		o.MaxTokens = cfg.Brain.MaxTokens
	}
}

// filter is which questions the flags ask for.
func (c *requestReplayCmd) filter(src *source) (regression.Filter, error) {
	f := regression.Filter{Session: c.Session}
	var err error
	if f.Since, err = moment("--since", c.Since); err != nil {
		return f, err
	}
	if f.Until, err = moment("--until", c.Until); err != nil {
		return f, err
	}
	if f.Purposes, err = purposes(c.Purpose); err != nil {
		return f, err
	}
	if c.All {
		f.Channel = c.Channel
		f.After, err = regression.Since(src, f.Since)
		return f, err
	}
	for _, id := range c.ID {
		key, err := c.find(src, id)
		if err != nil {
			return f, err
		}
		r, _, err := src.Request(key)
		if err != nil {
			return f, exit.With(exit.Data, err)
		}
		if f.Requests = append(f.Requests, key); len(f.Requests) == 1 || r.Index-1 < f.After {
			f.After = r.Index - 1
		}
	}
	return f, nil
}

// purposes reads a list of purposes with commas between.
func purposes(list string) ([]fsm.Purpose, error) {
	all := []fsm.Purpose{fsm.PurposeAnswer, fsm.PurposeInit, fsm.PurposeFarewell, fsm.PurposeSummary, fsm.PurposeCompact, fsm.PurposeSubagent}
	var named []fsm.Purpose
	for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		if !slices.Contains(all, fsm.Purpose(name)) {
			return nil, exit.Errorf(exit.Usage, "--purpose %s: the purposes are %v", name, all)
		}
		named = append(named, fsm.Purpose(name))
	}
	return named, nil
}

// moment reads an age (7d, 12h), a date or a time; empty is none.
func moment(flag, text string) (fsm.Millis, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return fsm.Millis(at.UnixMilli()), nil
		}
	}
	age, err := readAge(text)
	if err != nil {
		return 0, exit.Errorf(exit.Usage, "%s: %w", flag, err)
	}
	return fsm.Millis(time.Now().Add(-age).UnixMilli()), nil
}

// changedPrompts returns what puts the prompts that were set in the place of recorded
// ones, filled in as a start fills them; nil where none was set.
func changedPrompts(cfg config.Config, changes []string) (func(*fsm.Prompts), error) {
	data, err := json.Marshal(cfg.Machine(nil, nil).Prompts)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	set := map[string]json.RawMessage{}
	for _, kv := range changes {
		key, _, _ := strings.Cut(kv, "=")
		name, ok := strings.CutPrefix(key, "prompts.")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "_file")
		if set[name] = all[name]; all[name] == nil { // empty, so left out
			set[name] = json.RawMessage(`""`)
		}
	}
	if len(set) == 0 {
		return nil, nil
	}
	if data, err = json.Marshal(set); err != nil {
		return nil, err
	}
	return func(p *fsm.Prompts) { _ = json.Unmarshal(data, p) }, nil // it was made of the same type
}

// answersName is the file of answers: one for each model and set of options.
func answersName(out, data string, s replay.Side) string {
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
func (c *requestReplayCmd) openAnswers(data string, s replay.Side) (a *replay.Answers, err error) {
	name := answersName(c.Out, data, s)
	if c.DryRun {
		a, err = replay.Read(name)
	} else {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, exit.With(exit.Disk, err)
		}
		a, err = replay.Open(name)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Usage, "the file of answers: %w", err)
	}
	return a, nil
}
