package brain

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/runtime/ollama"
)

// loader is the part of the client that a preload needs.
type loader interface {
	Preload(ctx context.Context) error
	Models(ctx context.Context) ([]ollama.Model, error)
	Show(ctx context.Context, name string) (ollama.Capabilities, error)
	Loaded(ctx context.Context) ([]ollama.Loaded, error)
}

// loadingEvery is how often an unfinished load is logged.
const loadingEvery = 5 * time.Second

// Preload has the chat model loaded while shelly already serves (BRN-19). A request that
// arrives in between waits after it in the server's queue, and finishes sooner than if it had
// to start the load.
type Preload struct {
	model  string
	client loader
	embeds embedder      // whose model is tried together with the chat model (see Together); nil: none
	spare  string        // that model
	keeps  *atomic.Int32 // whether it keeps both models, as Together finds out
	warm   bool          // the chat model was loaded before, perhaps with a conversation in its cache
	log    *slog.Logger

	mu    sync.Mutex
	began time.Time // zero: nothing is being loaded
}

// Run loads the model and logs the progress. A failure is logged and has no other effect: the
// first request tries again, and reports its own failure.
func (p *Preload) Run(ctx context.Context) {
	began := time.Now()
	p.at(began)
	defer p.at(time.Time{})
	size := p.size(ctx)
	p.log.Info("loading the model", "model", p.model, "size", size)
	p.warm = p.inMemory(ctx, p.model)
	done := make(chan error, 1)
	go func() { done <- p.client.Preload(ctx) }()
	tick := time.NewTicker(loadingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.log.Info("loading the model", "model", p.model, "size", size, "for", time.Since(began).Round(time.Second))
		case err := <-done:
			p.ended(ctx, time.Since(began), err)
			return
		}
	}
}

func (p *Preload) at(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.began = t
}

// size returns the model's size on disk, in words.
func (p *Preload) size(ctx context.Context) string {
	models, _ := p.client.Models(ctx) // the load reports the error
	for _, m := range models {
		if ollama.SameModel(m.Name, p.model) {
			return quantity.Bytes(m.Size)
		}
	}
	return "unknown"
}

// ended logs how the load ended, and what memory the server gave the model.
func (p *Preload) ended(ctx context.Context, took time.Duration, err error) {
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p.log.Warn("cannot preload the model; the first request tries again", "model", p.model, "because", err)
		return
	}
	told := []any{"model", p.model, "took", took.Round(time.Millisecond)}
	loaded, _ := p.client.Loaded(ctx) // what is unknown is left out
	for _, l := range loaded {
		if ollama.SameModel(l.Name, p.model) {
			told = append(told, "window", l.NumCtx, "memory", quantity.Bytes(l.Bytes), "gpu_percent", l.OnGPU())
		}
	}
	if can, err := p.client.Show(ctx, p.model); err == nil {
		told = append(told, "window_max", can.ContextLength)
	}
	p.log.Info("the model is loaded", told...)
}

// words returns what a status adds while the model is being loaded.
func (p *Preload) words() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		return ""
	}
	return ", loading it for " + quantity.Time(time.Since(p.began))
}
