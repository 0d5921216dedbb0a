package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/ollama"
	"shelly/scenarios"
	"shelly/sim/scenario"
)

// brain is what answers model calls, and what it is called.
type brain struct {
	daemon.Brain
	embedder daemon.Embedder // nil: memory is found by keyword only
	about    func() string
	preload  *preload // nil: there is nothing to load
}

// openBrain connects to the configured brain. With auto, the demo brain takes
// the place of an Ollama that cannot be used, and why is said in one line (CFG-6).
// With wait, a model that cannot be had yet does not keep shelly from serving
// (CFG-7).
func openBrain(ctx context.Context, c config.Brain, log *slog.Logger) (brain, error) {
	if c.Kind == "demo" {
		log.Info("the built-in demo brain answers, a script and not a model")
		return demoBrain()
	}
	asking := askingOptions(c)
	asking.Log = log
	client, err := ollama.New(asking)
	if err != nil {
		return brain{}, exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	o := &ollamaBrain{client: client}
	ready, err := o.choose(ctx)
	switch {
	case err == nil:
		o.ready = ready
		log.Info("the model is chosen", "model", ready.chat, "embed_model", ready.embed, "server", client.BaseURL())
		return o.answering(c, client.BaseURL(), log), nil
	case c.Kind == "auto":
		log.Warn("the built-in demo brain answers, a script and not a model", "because", err)
		return demoBrain()
	case c.OnUnreachable == "wait":
		log.Warn("no model yet: each request fails with the reason until there is one", "because", err)
		return brain{o, o, func() string { return "ollama at " + client.BaseURL() }, nil}, nil
	default:
		return brain{}, exit.Errorf(exit.Unreachable, "%w", err)
	}
}

// answering is a brain whose model was chosen.
func (o *ollamaBrain) answering(c config.Brain, server string, log *slog.Logger) brain {
	about := fmt.Sprintf("ollama %s at %s", o.ready.chat, server)
	if !c.Preload || c.KeepAlive == 0 {
		return brain{o, o, func() string { return about }, nil}
	}
	p := &preload{model: o.ready.chat, client: o.ready.client, log: log}
	return brain{o, o, func() string { return about + p.words() }, p}
}

// askingOptions are the options of a client for the configured brain.
func askingOptions(c config.Brain) ollama.Options {
	keep := c.KeepAlive
	if keep == 0 {
		keep = time.Nanosecond // unload at once; 0 would be the client's default
	}
	o := ollama.Options{
		BaseURL: c.URL, Tools: ollama.ToolsBy(c.Tools), Model: c.Model, EmbedModel: c.EmbedModel,
		NumCtx: c.NumCtx, NumPredict: c.NumPredict, KeepAlive: keep,
		Timeouts: ollama.Timeouts(c.Timeouts),
	}
	if c.Seed >= 0 {
		o.Seed = &c.Seed
	}
	if c.Think != "model" {
		o.Think = c.Think
	}
	return o
}

// ollamaBrain asks an Ollama server. If no model could be chosen at the start, it
// tries again at each call.
type ollamaBrain struct {
	client *ollama.Client
	mu     sync.Mutex
	ready  *chosen
}

// chosen is a client for the models that were chosen.
type chosen struct {
	client      *ollama.Client
	chat, embed string
}

func (o *ollamaBrain) choose(ctx context.Context) (*chosen, error) {
	chat, embed, err := o.client.Choose(ctx)
	if err != nil {
		return nil, err
	}
	return &chosen{o.client.With(chat, embed), chat, embed}, nil
}

func (o *ollamaBrain) current(ctx context.Context) (*chosen, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ready == nil {
		ready, err := o.choose(ctx)
		if err != nil {
			return nil, err
		}
		o.ready = ready
	}
	return o.ready, nil
}

// Chat implements [daemon.Brain].
func (o *ollamaBrain) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	c, err := o.current(ctx)
	if err != nil {
		return fsm.BrainAnswered{}, err
	}
	return c.client.Chat(ctx, ask, tools, func(chunk ollama.Chunk) { stream(daemon.Piece(chunk)) })
}

// Embed implements [daemon.Embedder].
func (o *ollamaBrain) Embed(ctx context.Context, text string) (vector []byte, model string, err error) {
	c, err := o.current(ctx)
	if err != nil {
		return nil, "", err
	}
	return c.client.Embed(ctx, text)
}

// scriptedBrain answers from a scenario's script, again and again.
type scriptedBrain struct{ script *scenario.Brain }

// demoBrain answers from the built-in script (BRN-12).
func demoBrain() (brain, error) {
	file, err := scenario.LoadOne(scenarios.Demo, scenarios.DemoFile)
	if err != nil {
		return brain{}, fmt.Errorf("the built-in demo brain: %w", err)
	}
	about := func() string { return "the built-in demo brain (a script, not a model)" }
	return brain{&scriptedBrain{file.Brain()}, nil, about, nil}, nil
}

// Chat implements [daemon.Brain].
func (s *scriptedBrain) Chat(ctx context.Context, ask fsm.AskBrain, _ []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	line, ok := s.script.Answer(ask)
	if !ok {
		return fsm.BrainAnswered{}, classified{fsm.BrainError, "the script has no line for this"}
	}
	for _, p := range line.Pieces(ask) {
		stream(daemon.Piece{Text: p.Text, Thinking: p.Thinking})
	}
	switch in := line.Answer(ask).(type) {
	case fsm.BrainAnswered:
		if line.Stream == nil {
			stream(daemon.Piece{Text: in.Text, Thinking: in.Thinking})
		}
		return in, nil
	case fsm.BrainFailed:
		return fsm.BrainAnswered{}, classified{in.Class, in.Reason}
	default: // the line hangs
		<-ctx.Done()
		return fsm.BrainAnswered{}, classified{fsm.BrainCancelled, "the call was given up"}
	}
}

// classified is a scripted failure.
type classified struct {
	class  fsm.BrainClass
	reason string
}

func (e classified) Error() string              { return e.reason }
func (e classified) BrainClass() fsm.BrainClass { return e.class }
