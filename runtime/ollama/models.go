package ollama

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/types/model"

	"shelly/fsm"
)

// suggestedModel is what a person without a model is advised to pull: small, and able to call
// tools.
const suggestedModel = "qwen3:4b"

// NoEmbedding, as the embedding model, says that none is to be used.
const NoEmbedding = "none"

// Model is an installed model.
type Model struct {
	Name   string
	Size   int64  // bytes on disk
	Digest string // of its manifest, in hex
	Remote string // the host that runs it; empty: the server itself

	// Family, Parameters and Quantization are in the server's words, such as qwen3, 8.2B and
	// Q4_K_M; empty or "unknown" if it has none.
	Family, Parameters, Quantization string
}

// SameModel reports whether two names mean the same model to the server (BRN-41): a name may omit
// the tag latest, the namespace library and the registry, and case does not matter.
func SameModel(a, b string) bool { return tagged(a) == tagged(b) }

// Version returns the server's version. The error is an [*Error].
func (c *Client) Version(ctx context.Context) (string, error) {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Idle, "the question for its version")
	defer cancel()
	version, err := c.api.Version(ctx)
	if err != nil {
		return "", c.sort(ctx, "", err)
	}
	return version, nil
}

// Models returns the installed models in the server's order: last changed first. The error is an
// [*Error].
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Idle, "which models it has")
	defer cancel()
	list, err := c.api.List(ctx)
	if err != nil {
		return nil, c.sort(ctx, "", err)
	}
	models := make([]Model, len(list.Models))
	for i, m := range list.Models {
		models[i] = Model{
			Name: m.Name, Size: m.Size, Digest: m.Digest, Remote: m.RemoteHost,
			Family: m.Details.Family, Parameters: m.Details.ParameterSize, Quantization: m.Details.QuantizationLevel,
		}
	}
	return models, nil
}

// Show returns what an installed model can do. The error is an [*Error].
func (c *Client) Show(ctx context.Context, name string) (Capabilities, error) {
	d, err := c.Describe(ctx, name)
	return d.Capabilities, err
}

func capabilities(show *api.ShowResponse) Capabilities {
	can := func(what model.Capability) bool { return slices.Contains(show.Capabilities, what) }
	return Capabilities{
		Completion:    can(model.CapabilityCompletion),
		Tools:         can(model.CapabilityTools) && !writesCalls(show.Template),
		Thinking:      can(model.CapabilityThinking),
		Embedding:     can(model.CapabilityEmbedding),
		Vision:        can(model.CapabilityVision),
		ContextLength: numberOf(show.ModelInfo, "context_length"),
		Stops:         stops(show.Parameters),
	}
}

// stops reads the texts that end a model's answer: lines of the name stop and a quoted text.
func stops(parameters string) (texts []string) {
	for line := range strings.Lines(parameters) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if text, err := strconv.Unquote(strings.TrimSpace(value)); name == "stop" && err == nil {
			texts = append(texts, text)
		}
	}
	return texts
}

// writesCalls reports whether a template makes the model write calls as text: it shows the tools
// but has no place for calls, so the server neither recognises calls in the model's output nor
// shows the model its earlier ones (BRN-16).
func writesCalls(template string) bool {
	return strings.Contains(template, ".Tools") && !strings.Contains(template, ".ToolCalls")
}

// numberOf reads a key that is named after the model's architecture; 0 if it is missing.
func numberOf(info map[string]any, key string) int {
	arch, _ := info["general.architecture"].(string)
	n, _ := info[arch+"."+key].(float64)
	return int(n)
}

// Choose returns the models to use. A configured model must be installed, and the chat model able
// to chat. If no chat model is configured, it is the first installed one that can call tools; if no
// embedding model is configured, the first that can embed, or "" if there is none: memory is then
// searched by keyword. A model that another host runs is never chosen, nor one that the server
// cannot describe (BRN-10). The error is an [*Error] that says what to pull.
func (c *Client) Choose(ctx context.Context) (chat, embed string, err error) {
	models, err := c.Models(ctx)
	if err != nil {
		return "", "", err
	}
	chat, embed = c.opt.Model, c.opt.EmbedModel
	for _, name := range []string{chat, embed} {
		installed := func(m Model) bool { return SameModel(m.Name, name) }
		if name != "" && name != NoEmbedding && !slices.ContainsFunc(models, installed) {
			return "", "", c.missing(name)
		}
	}
	if chat != "" {
		if err := c.talks(ctx, chat); err != nil {
			return "", "", err
		}
	}
	var undescribed *Error // why the first of those was not
	mute := ""             // the first model that can chat but not call tools
	for _, m := range models {
		if chat != "" && embed != "" {
			break
		}
		if m.Remote != "" {
			continue
		}
		can, err := c.Show(ctx, m.Name)
		if err, is := errors.AsType[*Error](err); is && err.ofOneModel() {
			c.opt.Log.Warn("the server cannot describe a model, which is not chosen", "model", m.Name, "because", err)
			undescribed = cmp.Or(undescribed, err)
			continue
		}
		if err != nil {
			return "", "", err
		}
		if chat == "" && can.Completion && can.Tools {
			chat = m.Name
		}
		if mute == "" && can.Completion && !can.Tools {
			mute = m.Name
		}
		if embed == "" && can.Embedding {
			embed = m.Name
		}
	}
	if embed == NoEmbedding {
		embed = ""
	}
	if chat == "" && undescribed != nil {
		return "", "", undescribed
	}
	if chat == "" {
		otherwise := ""
		if mute != "" {
			otherwise = fmt.Sprintf(", or set brain.model to %s, to which the tools are then described in the prompt", mute)
		}
		return "", "", failure(fsm.BrainMissingModel, "the Ollama server at %s has no model that can call tools: run \"ollama pull %s\" there%s", c.base, suggestedModel, otherwise)
	}
	return chat, embed, nil
}
