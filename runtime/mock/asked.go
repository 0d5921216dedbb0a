package mock

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"strings"

	"github.com/ollama/ollama/api"
)

// asked is what chat and generate requests have in common.
type asked struct {
	Stream      *bool           `json:"stream"`
	KeepAlive   *api.Duration   `json:"keep_alive"`
	Think       *api.ThinkValue `json:"think"`
	Format      json.RawMessage `json:"format"`
	Truncate    *bool           `json:"truncate"`
	Shift       *bool           `json:"shift"`
	TopLogprobs int             `json:"top_logprobs"`
	Options     map[string]any  `json:"options"`
}

func (a *asked) streams() bool { return a.Stream == nil || *a.Stream }

// truncates reports whether a conversation that is too long may be cut to the window.
func (a *asked) truncates() bool { return a.Truncate == nil || *a.Truncate }

// slides reports whether the window may slide, and so whether a message that is longer may be cut.
func (a *asked) slides() bool { return a.Shift == nil || *a.Shift }

// tooLong is how a conversation is refused that does not fit: in the words of the server if it was
// to make it shorter, and otherwise in those of the model's process, passed on.
func (r *chatRequest) tooLong(window int) string {
	if r.truncates() {
		return "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length"
	}
	return fmt.Sprintf(`{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it",`+
		`"type":"exceed_context_size_error","n_prompt_tokens":%[1]d,"n_ctx":%[2]d}}`, r.tokens(), window)
}

// thinks reports whether the model should think. A model that can does so by default.
func (a *asked) thinks() bool { return a.Think == nil || a.Think.Bool() }

// refused returns the options, with numCtx if the request has no num_ctx, or the status and text
// with which a real server refuses the request.
func (a *asked) refused(m Model, tools bool, numCtx int) (opt api.Options, status int, text string) {
	if a.TopLogprobs < 0 || a.TopLogprobs > topLogprobsMax {
		return opt, http.StatusBadRequest, "top_logprobs must be between 0 and 20"
	}
	if a.Think != nil && a.Think.Bool() {
		switch level, leveled := a.Think.Value.(string); {
		case m.NoThinking:
			return opt, http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", m.Name)
		case leveled && m.NoLevels:
			return opt, http.StatusBadRequest, fmt.Sprintf("think value %q is not supported for this model", level)
		}
	}
	if a.Options["typical_p"] != nil {
		return opt, http.StatusBadRequest, "typical_p is no longer supported"
	}
	if tools && m.NoTools {
		return opt, http.StatusBadRequest, "registry.ollama.ai/library/" + full(m.Name) + " does not support tools"
	}
	if text := badFormat(a.Format); text != "" {
		return opt, http.StatusInternalServerError, text
	}
	opt = api.DefaultOptions()
	opt.NumCtx = numCtx
	if err := opt.FromMap(known(a.Options)); err != nil {
		return opt, http.StatusInternalServerError, err.Error()
	}
	opt.NumCtx = max(opt.NumCtx, numCtxMin)
	return opt, 0, ""
}

const topLogprobsMax = 20

// numCtxMin is the smallest window that a real server gives; 0 does not mean the default there.
const numCtxMin = 4

const exceedsContext = "the input length exceeds the context length"

// known drops options that do not exist, as a real server does.
func known(options map[string]any) map[string]any {
	kept := map[string]any{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[api.Options]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if v, ok := options[name]; ok && name != "" {
			kept[name] = v
		}
	}
	return kept
}

// badFormat says what is wrong with a format, or returns "". It does not look into schemas.
func badFormat(format json.RawMessage) string {
	switch trimmed := string(bytes.TrimSpace(format)); {
	case trimmed == "", trimmed == "null", trimmed == `""`, trimmed == `"json"`, trimmed[0] == '{':
		return ""
	default:
		return fmt.Sprintf("invalid format: %q; expected \"json\" or a valid JSON Schema object", trimmed)
	}
}

// asks returns value if the request has the option, 0 otherwise.
func (a *asked) asks(name string, value int) int {
	if _, ok := a.Options[name]; !ok {
		return 0
	}
	return value
}

// temperature returns the request's temperature in the form of [Question].
func (a *asked) temperature() int {
	switch t, ok := a.Options["temperature"].(float64); {
	case !ok:
		return 0
	case t == 0:
		return -1
	default:
		return int(math.Round(t * 1000))
	}
}
