package lockstep

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"shelly/cmd/shelly/internal/scratch"
	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/sim"
	"shelly/sim/scenario"
)

// Models plays cases against a real Ollama (SCN-29), one at a time, because the time that a
// model takes counts, and two cases at once would both take longer.
type Models struct {
	// Connect returns a client of the server for a profile, "" for none, or the reason why there
	// is no model to ask; the case is then skipped.
	Connect func(profile string) (client *ollama.Client, why string, err error)

	turn sync.Mutex
}

// Play plays a live case as many times as it asks for. If there is no model to ask, the case is
// skipped.
func (m *Models) Play(f *scenario.File) scenario.Outcome {
	m.turn.Lock()
	defer m.turn.Unlock()
	out := f.Unplayed()
	asked, why, err := m.find(context.Background(), f)
	if err != nil {
		out.Err = fmt.Errorf("%s: %w", f.Path(), err)
		return out
	}
	if out.Skipped = why; why != "" {
		return out
	}
	defer asked.client.Close()
	runs := make([]scenario.Outcome, 0, 1)
	for n, _ := f.Runs(); len(runs) < n; {
		runs = append(runs, asked.run(f))
	}
	out = f.Held(runs)
	asked.note(&out)
	return out
}

// find connects to the model for the case's profile, or returns why there is none.
func (m *Models) find(ctx context.Context, f *scenario.File) (_ *model, why string, err error) {
	client, why, err := m.Connect(f.Plan().Config.Profile)
	switch {
	case err != nil:
		return nil, "", err
	case why != "":
		return nil, "brain: live: " + why, nil
	}
	if f.Model != "" {
		client = client.WithChat(f.Model)
	}
	asked, err := meetModel(ctx, client)
	if err != nil {
		client.Close()
		return nil, "brain: live: " + err.Error(), nil
	}
	return asked, "", nil
}

// meetModel chooses the models of a server and reads their properties.
func meetModel(ctx context.Context, client *ollama.Client) (*model, error) {
	chat, embed, err := client.Choose(ctx)
	if err != nil {
		return nil, err
	}
	version, err := client.Version(ctx)
	if err != nil {
		return nil, err
	}
	installed, err := client.Models(ctx)
	if err != nil {
		return nil, err
	}
	m := &model{client: client.With(chat, embed), embeds: embed != "", about: scenario.Live{Model: chat, Server: version}}
	if i := slices.IndexFunc(installed, func(i ollama.Model) bool { return ollama.SameModel(i.Name, chat) }); i >= 0 {
		m.about.Digest = installed[i].Digest
	}
	return m, nil
}

// run plays the case once, with the real adapters and the model.
func (m *model) run(f *scenario.File) scenario.Outcome {
	plan := f.Plan().Equipped(scratch.Workshop().Tools)
	broken := func(err error) scenario.Outcome {
		out := f.Unplayed()
		out.Err = fmt.Errorf("%s: on the runtime: %w", f.Path(), err)
		return out
	}
	l, err := newLive(&plan, m)
	if err != nil {
		return broken(err)
	}
	defer l.Close()
	out := f.Run(sim.Options{Backend: l, Journal: journal{l.store, l}, Workshop: scratch.Workshop()})
	if out.Err != nil {
		return out
	}
	text, err := l.keeps(&plan, out.Result)
	if err != nil {
		return broken(err)
	}
	if text != "" {
		out.Failures = append(out.Failures, f.Blame("brain", text))
	}
	return out
}

// keeps describes how the content of the real stores differs from what the run reported, or
// returns "".
func (l *live) keeps(p *sim.Plan, r *sim.Result) (string, error) {
	before := func(e fsm.Entry) bool {
		return slices.ContainsFunc(p.Memory, func(o fsm.Entry) bool { return o.ID == e.ID })
	}
	told, has := *r, *r
	told.Memory, has.Memory = slices.DeleteFunc(slices.Clone(r.Memory), before), nil // these have the model's vectors
	err := l.store.Entries(func(e fsm.Entry) error {
		if !before(e) {
			has.Memory = append(has.Memory, e)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if text := cmp.Or(kept(&told, &has), l.stream); text != "" {
		return text, nil
	}
	return l.differs(r)
}

// note records what the case was played against.
func (m *model) note(out *scenario.Outcome) {
	if out.Live == nil || out.Result == nil {
		return
	}
	m.about.Runs, m.about.Held = out.Live.Runs, out.Live.Held
	for _, a := range out.Result.Asked {
		if a.Line.Script < 0 {
			sent := m.client.Sends(a.Ask.Options)
			m.about.Options = scenario.LiveOptions{NumCtx: sent.NumCtx, NumPredict: sent.NumPredict, Temperature: sent.Temperature}
			break
		}
	}
	out.Live = &m.about
}
