package doctor

import (
	"context"
	"fmt"

	"shelly/runtime/comm"
	"shelly/runtime/ollama"
)

// embedding reports what makes vectors, and when: at once if the server keeps both the chat and
// the embedding model loaded, otherwise while shelly is idle (MEM-11).
func (e *examined) embedding(ctx context.Context, embed string, running *comm.Status, measure bool) {
	switch {
	case e.cfg.Brain.EmbedModel == ollama.NoEmbedding:
		e.ok("embedding", "off (brain.embed_model is none); memory is searched by keyword")
		return
	case embed == "":
		e.warn("embedding", "no installed model makes embeddings, so memory is searched by keyword only",
			"run: shelly model pull nomic-embed-text")
		return
	case !e.cfg.Switches.SpareModel:
		e.ok("embedding", embed+"; each need and each summary is embedded at once (switches.spare_model is false)")
		return
	}
	const later = "entries are embedded once the model was idle for brain.keep_alive, and needs in a conversation are searched by keyword"
	if ollama.SameModel(embed, e.name) {
		if e.cfg.Brain.Slots > 1 {
			e.ok("embedding", embed+", the chat model itself, in another slot than the conversation's")
			return
		}
		e.add("ok", "embedding", embed+", the chat model itself, in the conversation's slot, so "+later, "if the server has more slots (OLLAMA_NUM_PARALLEL), set brain.slots to their number")
		return
	}
	raise := fmt.Sprintf("start the server with OLLAMA_MAX_LOADED_MODELS=2 if its memory has room for both models, or put into the configuration: brain: {embed_model: %q} (the chat model makes the vectors) or brain: {embed_model: none}", e.name)
	switch e.keepsBoth(ctx, running, measure) {
	case yes:
		e.ok("embedding", embed+"; the server keeps both models loaded, so it is asked at once")
	case no:
		e.add("ok", "embedding", embed+"; the server keeps one model loaded, so "+later, raise)
	default:
		e.add("ok", "embedding", embed+"; whether the server keeps both models loaded is not known, and until it is "+later, "--measure tries it")
	}
}

// known is a yes, a no, or unknown.
type known int

const (
	unknown known = iota
	yes
	no
)

// keepsBoth reports whether the server keeps both the chat and the embedding model loaded.
// Either the daemon has seen it, or both are loaded now, or measuring tries it.
func (e *examined) keepsBoth(ctx context.Context, running *comm.Status, measure bool) known {
	if running != nil && running.Memory != nil && running.Memory.Model != "" && !running.Memory.Apart {
		return yes
	}
	if e.bothLoaded(ctx) {
		return yes
	}
	if !measure {
		return unknown
	}
	if _, err := e.client.Measure(ctx, 1, "Say yes."); err != nil {
		return unknown
	}
	if _, _, err := e.client.Embed(ctx, "shelly"); err != nil {
		return unknown
	}
	if e.bothLoaded(ctx) {
		return yes
	}
	return no
}

// bothLoaded reports whether the server has both models in memory.
func (e *examined) bothLoaded(ctx context.Context) bool {
	loaded, err := e.client.Loaded(ctx)
	if err != nil {
		return false
	}
	chat, embed := false, false
	for _, l := range loaded {
		chat = chat || ollama.SameModel(l.Name, e.name)
		embed = embed || ollama.SameModel(l.Name, e.embed)
	}
	return chat && embed
}
