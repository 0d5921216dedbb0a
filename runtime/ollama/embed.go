package ollama

import (
	"context"
	"encoding/binary"
	"math"
	"strings"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// dimensionsMax bounds the numbers of a vector (BRN-11), as an import of memory does: more than what any model makes.
const dimensionsMax = 65_536

// Embed turns a text into a vector of little-endian float32, and returns the model's name as
// configured. Of a text too long for the model only the beginning counts. Blank text is an error:
// its vector would be near to everything or to nothing. The error is an [*Error].
func (c *Client) Embed(ctx context.Context, text string) (vector []byte, model string, err error) {
	model = c.opt.EmbedModel
	switch {
	case model == "":
		return nil, "", failure(fsm.BrainMissingModel, "no embedding model is in use: memory is searched by keyword alone; \"shelly model pull nomic-embed-text\" installs one, unless brain.embed_model is none")
	case blank(text):
		return nil, "", failure(fsm.BrainError, "there is no text to embed")
	}
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Load+c.opt.Timeouts.FirstToken, "a text to embed, loading included,")
	defer cancel()
	resp, failed := c.embed(ctx, strings.ToValidUTF8(text, "\uFFFD"))
	if failed != nil {
		return nil, "", failed
	}
	if len(resp.Embeddings) != 1 || len(resp.Embeddings[0]) == 0 {
		return nil, "", failure(fsm.BrainGarbage, "the server at %s sent %d embeddings for one text", c.base, len(resp.Embeddings))
	}
	if n := len(resp.Embeddings[0]); n > dimensionsMax {
		return nil, "", failure(fsm.BrainGarbage, "the server at %s sent a vector of %d numbers; the most is %d", c.base, n, dimensionsMax)
	}
	for _, f := range resp.Embeddings[0] {
		vector = binary.LittleEndian.AppendUint32(vector, math.Float32bits(f))
	}
	return vector, model, nil
}

// embedTriesMax is how often a vector of a text is asked for, each time of half as much: that is enough
// for a million bytes in a window of 512 tokens.
const embedTriesMax = 12

// embed asks for the vector of a text. The server cuts what is too long for the model, but sometimes
// cannot: what is left of a word may have more tokens than before (MEM-17). Then half of the text is
// enough.
func (c *Client) embed(ctx context.Context, text string) (resp *api.EmbedResponse, failed *Error) {
	for range embedTriesMax {
		resp, err := c.api.Embed(ctx, &api.EmbedRequest{
			Model:     c.opt.EmbedModel,
			Input:     text,
			KeepAlive: &api.Duration{Duration: c.opt.KeepAlive},
			// The chat's window: one model may serve both, and a change of window would reload it.
			Options: map[string]any{"num_ctx": c.opt.NumCtx},
		})
		if err == nil {
			return resp, nil
		}
		failed = c.sort(ctx, c.opt.EmbedModel, err)
		half := wording.Edge(text, len(text)/2)
		if failed.Class != fsm.BrainContextTruncated || blank(half) {
			break
		}
		text = half
	}
	return nil, failed
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }
