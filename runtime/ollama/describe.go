package ollama

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// Description is what the server says about an installed model.
type Description struct {
	Capabilities
	Shape Shape
}

// Shape is the part of a model's architecture that determines the size of its key-value cache. A
// number that the model does not give is 0.
type Shape struct {
	Layers      int
	HeadsKV     int // heads with keys and values of their own, per layer
	KeyLength   int // numbers in a key
	ValueLength int // numbers in a value
}

// PerToken returns how many numbers the cache holds for one token: in each layer a key and a value
// for each head. For a model in which some layers attend to only a part of the window, or to none
// of it, that is an upper bound. 0: unknown.
func (s Shape) PerToken() int64 {
	return int64(s.Layers) * int64(s.HeadsKV) * int64(s.KeyLength+s.ValueLength)
}

// Describe returns what the server says about an installed model. The error is an [*Error].
func (c *Client) Describe(ctx context.Context, name string) (Description, error) {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Idle, "what the model can do")
	defer cancel()
	show, err := c.api.Show(ctx, &api.ShowRequest{Model: name})
	if err != nil {
		return Description{}, c.sort(ctx, name, err)
	}
	return Description{capabilities(show), shape(show.ModelInfo)}, nil
}

// shape reads the keys that are named after the model's architecture. As in GGUF, missing lengths
// are the width divided evenly among the heads, and a missing number of key-value heads means that
// no heads share them.
func shape(info map[string]any) Shape {
	number := func(key string) int { return numberOf(info, key) }
	s := Shape{
		Layers:      number("block_count"),
		HeadsKV:     number("attention.head_count_kv"),
		KeyLength:   number("attention.key_length"),
		ValueLength: number("attention.value_length"),
	}
	heads := number("attention.head_count")
	s.HeadsKV = cmp.Or(s.HeadsKV, heads)
	if heads > 0 {
		even := number("embedding_length") / heads
		s.KeyLength, s.ValueLength = cmp.Or(s.KeyLength, even), cmp.Or(s.ValueLength, even)
	}
	return s
}

// Words lists what a model can do, in the server's words.
func (c Capabilities) Words() []string {
	list := []string{}
	for _, can := range []struct {
		what string
		does bool
	}{{"completion", c.Completion}, {"tools", c.Tools}, {"thinking", c.Thinking}, {"vision", c.Vision}, {"embedding", c.Embedding}} {
		if can.does {
			list = append(list, can.what)
		}
	}
	return list
}

// Loaded is a model that the server holds in memory.
type Loaded struct {
	Name   string    `json:"-"`
	Bytes  int64     `json:"bytes"`             // in all kinds of memory: weights, cache and buffers
	GPU    int64     `json:"gpu_bytes"`         // the part of Bytes in the memory of graphics processors
	NumCtx int       `json:"num_ctx,omitempty"` // its window in tokens; 0 if unknown
	Until  time.Time `json:"until"`
}

// OnGPU returns the share of the model that is in the memory of graphics processors, in percent.
func (l Loaded) OnGPU() int { return int(100 * min(l.GPU, l.Bytes) / max(l.Bytes, 1)) }

// Loaded returns what the server holds in memory, the client's own models under their own names. The
// error is an [*Error].
func (c *Client) Loaded(ctx context.Context) ([]Loaded, error) {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Idle, "what is loaded")
	defer cancel()
	list, err := c.api.ListRunning(ctx)
	if err != nil {
		return nil, c.sort(ctx, "", err)
	}
	for _, model := range []string{c.opt.Model, c.opt.EmbedModel} {
		if model == "" || model == NoEmbedding {
			continue
		}
		if m := c.entry(ctx, list, model); m != nil && !SameModel(m.Name, c.opt.Model) && !SameModel(m.Name, model) {
			m.Name = model
		}
	}
	loaded := make([]Loaded, len(list.Models))
	for i, m := range list.Models {
		loaded[i] = Loaded{Name: m.Name, Bytes: m.Size, GPU: m.SizeVRAM, NumCtx: m.ContextLength, Until: m.ExpiresAt}
	}
	return loaded, nil
}

// Local reports whether the server is on this machine, judging by its address.
func (c *Client) Local() bool {
	host := c.base.Hostname()
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// entry returns the entry of a model in the list of what is loaded, or nil. A server lists a model
// with several names under the one by which it was first asked for (BRN-18).
func (c *Client) entry(ctx context.Context, list *api.ProcessResponse, model string) *api.ProcessModelResponse {
	at := slices.IndexFunc(list.Models, func(m api.ProcessModelResponse) bool { return SameModel(m.Name, model) })
	if at < 0 && len(list.Models) > 0 {
		digest := c.digest(ctx, model)
		at = slices.IndexFunc(list.Models, func(m api.ProcessModelResponse) bool { return digest != "" && m.Digest == digest })
	}
	if at < 0 {
		return nil
	}
	return &list.Models[at]
}

// digest returns the digest of a model, for which it asks once; "" if the server does not say.
func (c *Client) digest(ctx context.Context, model string) string {
	if known := c.known.of(model).digest; known != "" {
		return known
	}
	within, cancel := c.within(ctx, c.opt.Timeouts.Connect, "which models it has")
	defer cancel()
	models, err := c.Models(within)
	if err != nil {
		return ""
	}
	for _, m := range models {
		if SameModel(m.Name, model) {
			c.known.learn(model, func(f *facts) { f.is(m.Digest) })
			return m.Digest
		}
	}
	return ""
}
