package brain

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/daemon"
	"shelly/runtime/ollama"
)

// AboutOllama names a server, and the model that was chosen there, if any.
func AboutOllama(chat, server string) string {
	if chat == "" {
		return "ollama at " + server
	}
	return fmt.Sprintf("ollama %s at %s", chat, server)
}

// answering returns the brain for a server whose model was chosen.
func (o *Ollama) answering(c config.Brain, log *slog.Logger) Brain {
	b := o.brain()
	if !c.Preload || c.KeepAlive == 0 {
		return b
	}
	ready := o.ready.Load()
	p := &Preload{model: ready.chat, client: ready.client, log: log}
	if ready.embed != "" && !ollama.SameModel(ready.chat, ready.embed) {
		p.embeds, p.spare = ready.client, ready.embed
		p.keeps = &o.keeps
	}
	b.About, b.Preload = func() string { return o.about() + p.words() }, p
	return b
}

// brain returns the brain that it is, without a preload.
func (o *Ollama) brain() Brain {
	return Brain{Brain: o, Embedder: o, Embeds: o.Embeds, Apart: o.Apart, About: o.about, Asks: o.asks, Loaded: o.loaded}
}

func (o *Ollama) loaded(ctx context.Context) (bool, error) {
	c, err := o.current(ctx)
	if err != nil {
		return false, err
	}
	return c.client.Holds(ctx)
}

// asks returns the server, and the model once one is chosen.
func (o *Ollama) asks() (model, server string) {
	if c := o.ready.Load(); c != nil {
		model = c.chat
	}
	return model, o.Client.BaseURL()
}

func (o *Ollama) about() string { return AboutOllama(o.asks()) }

// Options returns the options of a client for the configured brain.
func Options(c config.Brain) ollama.Options {
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

// Ollama asks an Ollama server. If no model could be chosen at the start, each call tries
// again; if none for vectors could be, each embedding does.
type Ollama struct {
	Client *ollama.Client
	ready  atomic.Pointer[chosen]         // nil: nothing is chosen yet
	seen   atomic.Pointer[[]ollama.Model] // installed models, none of which can embed; nil: none was seen
	keeps  atomic.Int32                   // whether the server keeps both models loaded: a [keeping]
	slots  int                            // calls that the server serves at once
	spurns bool                           // vectors are turned off (MEM-11)
	log    *slog.Logger                   // nil: nothing is logged
}

// chosen is a client for the chosen models.
type chosen struct {
	client      *ollama.Client
	chat, embed string
}

func (o *Ollama) choose(ctx context.Context) (*chosen, error) {
	chat, embed, err := o.Client.Choose(ctx)
	if err != nil {
		return nil, err
	}
	return &chosen{o.Client.With(chat, embed), chat, embed}, nil
}

// current returns what is chosen, or chooses. A call does not wait for another that chooses: that may
// take as long as the server does, and each call ends when it is given up.
func (o *Ollama) current(ctx context.Context) (*chosen, error) {
	if ready := o.ready.Load(); ready != nil {
		return ready, nil
	}
	ready, err := o.choose(ctx)
	if err != nil {
		return nil, err
	}
	o.ready.CompareAndSwap(nil, ready) // unless another call was first
	return o.ready.Load(), nil
}

// Chat implements [daemon.Brain].
func (o *Ollama) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	c, err := o.current(ctx)
	if err != nil {
		return fsm.BrainAnswered{}, err
	}
	return c.client.Chat(ctx, ask, tools, func(chunk ollama.Chunk) { stream(daemon.Piece(chunk)) })
}

// Await implements [daemon.Awaiter].
func (o *Ollama) Await(ctx context.Context) error { return o.Client.Await(ctx) }

// Embed implements [daemon.Embedder].
func (o *Ollama) Embed(ctx context.Context, text string) (vector []byte, model string, err error) {
	c, err := o.current(ctx)
	if err == nil && c.embed == "" && !o.spurns {
		c, err = o.lookAgain(ctx, c)
	}
	if err != nil {
		return nil, "", err
	}
	vector, model, err = c.client.Embed(ctx, text)
	if err == nil && keeping(o.keeps.Load()) == notKnown && loads(ctx, c.client, c.chat, c.embed) {
		o.keeps.CompareAndSwap(int32(notKnown), int32(keepsBoth))
	}
	return vector, model, err
}

// lookAgain chooses an embedding model that was installed after the chat model was chosen
// (BRN-10). Models are asked what they can do only when the list of them has changed.
func (o *Ollama) lookAgain(ctx context.Context, was *chosen) (*chosen, error) {
	models, err := o.Client.Models(ctx)
	if err != nil || slices.Equal(models, *cmp.Or(o.seen.Load(), new([]ollama.Model))) {
		return was, err
	}
	_, embed, err := o.Client.With(was.chat, "").Choose(ctx)
	if err != nil {
		return nil, err
	}
	if embed == "" {
		o.seen.Store(&models)
		return was, nil
	}
	first := o.ready.CompareAndSwap(was, &chosen{was.client.With(was.chat, embed), was.chat, embed})
	if first && o.log != nil {
		o.log.Info("an embedding model is chosen; entries in memory get their vectors", "embed_model", embed)
	}
	return o.ready.Load(), nil
}

// Embeds reports whether an embedding model is chosen: not while the server has none, or until it
// has been asked.
func (o *Ollama) Embeds() bool {
	c := o.ready.Load()
	return c != nil && c.embed != ""
}

// keptForGood is how far away a model's unload time must be for the model to count as kept
// loaded.
const keptForGood = 365 * 24 * time.Hour

// InMemory describes how a model is loaded, and for how long.
func InMemory(l ollama.Loaded, now time.Time) string {
	words := quantity.Bytes(l.Bytes)
	if on := l.OnGPU(); on > 0 {
		words += fmt.Sprintf(" (%d %% GPU)", on)
	}
	if l.NumCtx > 0 {
		words += fmt.Sprintf(", window %d", l.NumCtx)
	}
	if left := l.Until.Sub(now); left < keptForGood {
		return words + ", for " + quantity.Time(left)
	}
	return words + ", for good"
}
