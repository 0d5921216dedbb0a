// Package brain opens the configured source of answers to model calls: an Ollama server, or the
// built-in demo.
package brain

import (
	"context"
	"log/slog"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/ollama"
)

// Brain answers model calls, and has a name.
type Brain struct {
	daemon.Brain
	Embedder daemon.Embedder                     // nil: memory is searched by keyword only
	Embeds   func() bool                         // reports whether an embedding model is chosen
	Apart    func() bool                         // reports whether an embedding may make the server unload the chat model (BRN-33)
	About    func() string                       // in words
	Asks     func() (model, server string)       // nil: it is a script
	Preload  *Preload                            // nil: nothing to load
	Loaded   func(context.Context) (bool, error) // reports whether the chat model is loaded; nil: unknown
}

// Open connects to the configured brain. With auto, the demo brain replaces an Ollama server
// that cannot be used, and one log line says why (CFG-6). With wait, shelly serves even while
// no model is available yet (CFG-7).
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
	o := &Ollama{Client: client, slots: c.Slots, spurns: c.EmbedModel == ollama.NoEmbedding, log: log}
	late := time.AfterFunc(c.Timeouts.Connect, func() {
		log.Warn("the server has not said yet which models it has; the start waits for it", "server", client.BaseURL())
	})
	ready, err := o.choose(ctx)
	late.Stop()
	switch {
	case err == nil:
		o.ready.Store(ready)
		log.Info("the model is chosen", "model", ready.chat, "embed_model", ready.embed, "server", client.BaseURL())
		return o.answering(c, log), nil
	case c.Kind == "auto":
		log.Warn("the built-in demo brain answers: a script, not a model", "because", err)
		return openDemo()
	case c.OnUnreachable == "wait":
		log.Warn("no model is available yet; requests fail until one is", "because", err)
		return o.brain(), nil
	default:
		return Brain{}, exit.Errorf(exit.Unreachable, "%w", err)
	}
}
