package brain

import (
	"context"
	"slices"

	"shelly/runtime/ollama"
)

// keeping is what is known of whether a server keeps chat and embedding model loaded
// both. Its API does not say how many models it keeps.
type keeping int32

const (
	notKnown keeping = iota
	keepsBoth
	keepsOne
)

// embedder is what is needed to see whether an embedding unloads the chat model.
type embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Apart reports whether an embedding may make the server unload the chat model, or let go
// of the conversation in its one slot (BRN-33): it does, or nobody knows.
func (o *Ollama) Apart() bool {
	o.mu.Lock()
	c := o.ready
	o.mu.Unlock()
	if c != nil && ollama.SameModel(c.chat, c.embed) {
		return o.slots < 2
	}
	return keeping(o.keeps.Load()) != keepsBoth
}

// Together embeds a word beside the chat model that was just loaded, and looks whether
// both are then; if the chat model is not, it is loaded once more (BRN-33). Where it is alone, a
// question that came meanwhile has brought it back.
func (p *Preload) Together(ctx context.Context) {
	if p.embeds == nil || !p.inMemory(ctx, p.model) { // it could not be loaded, or another client was there
		return
	}
	_, embeds, err := p.embeds.Embed(ctx, "shelly")
	if err != nil {
		if ctx.Err() == nil {
			p.log.Warn("the embedding model does not answer; memory is found by keyword", "because", err)
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
	p.log.Info("the server keeps one model loaded: entries are embedded while nothing is asked, and found by keyword in a conversation",
		"model", p.model)
	if p.inMemory(ctx, p.model) {
		return
	}
	if err := p.client.Preload(ctx); err != nil && ctx.Err() == nil {
		p.log.Warn("the model could not be loaded once more", "model", p.model, "because", err)
	}
}

// inMemory reports whether the server has all of these models loaded at the same time.
func (p *Preload) inMemory(ctx context.Context, models ...string) bool {
	loaded, err := p.client.Loaded(ctx)
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
