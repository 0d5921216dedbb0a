package brain

import (
	"context"
	"slices"

	"shelly/runtime/ollama"
)

// keeping is whether a server keeps both the chat and the embedding model loaded, as far as is
// known. Its API does not report how many models it keeps.
type keeping int32

const (
	notKnown keeping = iota
	keepsBoth
	keepsOne
)

// embedder is the part of the client that shows whether an embedding unloads the chat model.
type embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Apart reports whether an embedding may make the server unload the chat model, or drop the
// conversation in its one slot (BRN-33). If that is unknown it returns true.
func (o *Ollama) Apart() bool {
	if c := o.ready.Load(); c != nil && ollama.SameModel(c.chat, c.embed) {
		return o.slots < 2
	}
	return keeping(o.keeps.Load()) != keepsBoth
}

// Together embeds a word once the chat model is loaded, and then checks whether both models are
// loaded. If the chat model is not, it is loaded again (BRN-33). If only the chat model is, a
// question in between has loaded it again. If the chat model was loaded before, nothing is embedded: that
// could cost the conversation in its cache.
func (p *Preload) Together(ctx context.Context) {
	switch {
	case p.embeds == nil || !p.inMemory(ctx, p.model): // it could not be loaded, or another client has replaced it
		return
	case p.inMemory(ctx, p.model, p.spare):
		p.keeps.Store(int32(keepsBoth))
		return
	case p.warm:
		return
	}
	_, embeds, err := p.embeds.Embed(ctx, "shelly")
	if err != nil {
		if ctx.Err() == nil {
			p.log.Warn("the embedding model does not answer; memory is searched by keyword", "because", err)
		}
		return
	}
	if p.inMemory(ctx, p.model, embeds) {
		p.keeps.Store(int32(keepsBoth))
		return
	}
	if ctx.Err() != nil {
		return
	}
	p.keeps.Store(int32(keepsOne))
	p.log.Info("the server keeps only one model loaded; entries are embedded while shelly is idle, and conversations search by keyword",
		"model", p.model)
	if p.inMemory(ctx, p.model) {
		return
	}
	if err := p.client.Preload(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("cannot load the model again", "model", p.model, "because", err)
	}
}

func (p *Preload) inMemory(ctx context.Context, models ...string) bool {
	return loads(ctx, p.client, models...)
}

// lister is the part of the client that lists what the server has loaded.
type lister interface {
	Loaded(ctx context.Context) ([]ollama.Loaded, error)
}

// loads reports whether a server has all of these models loaded at once.
func loads(ctx context.Context, client lister, models ...string) bool {
	loaded, err := client.Loaded(ctx)
	if err != nil {
		return false
	}
	for _, model := range models {
		if !slices.ContainsFunc(loaded, func(l ollama.Loaded) bool { return ollama.SameModel(l.Name, model) }) {
			return false
		}
	}
	return true
}
