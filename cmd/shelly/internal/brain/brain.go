// Package brain opens what answers model calls, as it is configured: an Ollama server, or the
// built-in demo.
package brain

import (
	"context"
	"log/slog"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/ollama"
)

// Brain is what answers model calls, and what it is called.
type Brain struct {
	daemon.Brain
	Embedder daemon.Embedder // nil: memory is found by keyword only
	Apart    func() bool     // reports whether an embedding may make the server unload the chat model (BRN-33)
	About    func() string
	Preload  *Preload // nil: there is nothing to load
}

// Open connects to the configured brain. With auto, the demo brain takes
// the place of an Ollama that cannot be used, and why is said in one line (CFG-6).
// With wait, a model that cannot be had yet does not keep shelly from serving
// (CFG-7).
func Open(ctx context.Context, c config.Brain, log *slog.Logger) (Brain, error) {
	if c.Kind == "demo" {
		log.Info("the built-in demo brain answers: a script, not a model")
		return openDemo()
	}
	asking := Options(c)
	asking.Log = log
	client, err := ollama.New(asking)
	if err != nil {
		return Brain{}, exit.Errorf(exit.Usage, "brain.url: %w", err)
	}
	o := &Ollama{Client: client, slots: c.Slots}
	ready, err := o.choose(ctx)
	switch {
	case err == nil:
		o.ready = ready
		log.Info("the model is chosen", "model", ready.chat, "embed_model", ready.embed, "server", client.BaseURL())
		return o.answering(c, client.BaseURL(), log), nil
	case c.Kind == "auto":
		log.Warn("the built-in demo brain answers: a script, not a model", "because", err)
		return openDemo()
	case c.OnUnreachable == "wait":
		log.Warn("no model yet: requests fail until there is one", "because", err)
		return Brain{o, o, o.Apart, func() string { return "ollama at " + client.BaseURL() }, nil}, nil
	default:
		return Brain{}, exit.Errorf(exit.Unreachable, "%w", err)
	}
}
