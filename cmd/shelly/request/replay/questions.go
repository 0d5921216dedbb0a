package replay

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/folder"
	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/sim/history/regression"
)

// changes parses --set: the keys that change what the model is sent, and the configuration with
// them.
func (c *Asking) changes() ([]string, config.Config, error) {
	p := c.Place
	if err := p.ReadPrompts(); err != nil {
		return nil, config.Config{}, err
	}
	for _, kv := range p.Set {
		switch key, value, _ := strings.Cut(kv, "="); {
		case !changesAsking(key) && key != "data":
			return nil, config.Config{}, exit.Errorf(exit.Usage, "--set %s changes nothing that a model is asked: set brain.* or prompts.*", key)
		case key == "brain.kind" && value == "demo":
			return nil, config.Config{}, exit.Errorf(exit.Usage, "--set %s: the demo brain is a script, not a model that can be asked; name a model with --model", kv)
		}
	}
	cfg, err := p.Load(flags.Given("--model", "brain.model", c.Model)...)
	return p.Set, cfg, err
}

// questions finds the questions to ask.
func (c *Asking) questions(ctx context.Context, cfg config.Config, changes []string) (found regression.Found, err error) {
	src, err := folder.JournalOf(ctx, cfg.Data)
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
		return found, exit.History(err)
	}
	if n := len(found.Questions); c.Limit > 0 && n > c.Limit {
		found.Questions = found.Questions[n-c.Limit:]
	}
	if len(found.Questions) == 0 {
		return found, exit.Errorf(exit.NoMatch, "there is no recorded question to ask; %d have no recorded answer, %d cannot be asked with these prompts",
			found.Unanswered, len(found.Unasked))
	}
	for i := range found.Questions {
		setOptions(&found.Questions[i].Ask.Options, cfg, changes)
	}
	return found, nil
}

// setOptions overrides the options of a question that --set names; the others are as recorded.
func setOptions(o *fsm.Options, cfg config.Config, changes []string) {
	set := func(key string) bool {
		return slices.ContainsFunc(changes, func(kv string) bool { return strings.HasPrefix(kv, key+"=") })
	}
	if set("brain.temperature") {
		o.Temperature = int(cfg.Brain.Temperature)
	}
	if set("brain.num_predict") { // the recorded one would override it
		o.MaxTokens = 0
	}
	if set("brain.max_tokens") {
		o.MaxTokens = cfg.Brain.MaxTokens
	}
}

// filter returns which questions the flags select.
func (c *Asking) filter(src *folder.Journal) (regression.Filter, error) {
	f := regression.Filter{Session: c.Session}
	var err error
	if f.Since, err = moment.At("--since", c.Since); err != nil {
		return f, err
	}
	if f.Until, err = moment.At("--until", c.Until); err != nil {
		return f, err
	}
	if f.Purposes, err = purposes(c.Purpose); err != nil {
		return f, err
	}
	if len(c.IDs) == 0 {
		f.Channel = c.Channel
		f.After, err = regression.Since(src, f.Since)
		return f, err
	}
	for _, id := range c.IDs {
		key, err := c.Find(src, id)
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

// purposes parses a comma-separated list of purposes.
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

// changedPrompts returns a function that replaces recorded prompts by those of --set, filled in
// as a start fills them; nil if none is set.
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
	return func(p *fsm.Prompts) { _ = json.Unmarshal(data, p) }, nil // it was marshalled from the same type
}
