package ollama

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

const ownTools = "the agent uses its own tools, and does not call its caller's; leave it out"

// noText is said of a question without a text; images alone say nothing to do.
const noText = "has no text; say what the agent should do"

// asking is what a client asks.
type asking struct {
	model   string
	whole   bool // one answer instead of lines
	silent  bool // without thinking
	form    form
	request comm.Request
	empty   bool // without a question: this is how clients load the model, or unload it
	unloads bool // keep_alive is 0
}

// how returns the fields that chat and generate have in common.
func (a *asking) how() []wire.Field {
	streams := func(v wire.Value) error {
		a.whole = !v.True
		return v.Is(wire.Bool)
	}
	think := func(v wire.Value) error {
		a.silent = v.Kind == wire.Bool && !v.True
		return v.Is(wire.Bool, wire.String)
	}
	alive := func(v wire.Value) error {
		seconds, err := strconv.ParseFloat(v.Text, 64)
		took, wrong := time.ParseDuration(v.Text)
		a.unloads = err == nil && seconds == 0 || wrong == nil && took == 0
		return v.Is(wire.String, wire.Number)
	}
	const text = "the agent answers only in text"
	return []wire.Field{
		wire.Text("model", &a.model), {Name: "stream", Read: streams}, {Name: "think", Read: think},
		wire.Refused("format", text), wire.Refused("logprobs", "the agent's answer has none"), wire.Refused("_debug_render_only", "there is no template to render"),
		wire.Idle("top_logprobs", wire.Number), wire.Idle("options", wire.Object), {Name: "keep_alive", Read: alive},
		wire.Idle("truncate", wire.Bool), wire.Idle("shift", wire.Bool), wire.Idle("width", wire.Number), wire.Idle("height", wire.Number), wire.Idle("steps", wire.Number),
	}
}

// images reads pictures in base64.
func images(to *[][]byte) wire.Field {
	return wire.Each("images", comm.ImagesMax, func(v wire.Value) error {
		image, err := base64.StdEncoding.Strict().DecodeString(v.Text)
		if err != nil || len(image) == 0 {
			return v.Fault("is not an image in base64, as RFC 4648 says, with padding")
		}
		if err := comm.CheckImage(image); err != nil {
			return v.Fault("%v; send the bytes of a PNG, JPEG or WebP file", err)
		}
		*to = append(*to, image)
		return nil
	})
}

// message reads one message of a chat.
func message(to *[]fsm.Message) func(wire.Value) error {
	return func(v wire.Value) error {
		var m fsm.Message
		var role string
		err := v.Object(wire.Text("role", &role), wire.Text("content", &m.Text), images(&m.Images), wire.Idle("thinking", wire.String),
			wire.Refused("tool_calls", ownTools), wire.Refused("tool_name", ownTools), wire.Refused("tool_call_id", ownTools))
		if err != nil {
			return err
		}
		if m.Role = fsm.Role(role); !slices.Contains([]fsm.Role{fsm.RoleSystem, fsm.RoleUser, fsm.RoleAssistant}, m.Role) {
			return v.Fault("has the role %q; the roles here are system, user and assistant, as %s", role, strings.TrimSuffix(ownTools, "; leave it out"))
		}
		*to = append(*to, m)
		return nil
	}
}

// own marks a history as the caller's even if it is empty: an empty message, which is
// dropped (SES-7).
func own() fsm.Message { return fsm.Message{Role: fsm.RoleUser} }

func (f *Front) chat(w http.ResponseWriter, r *http.Request) error {
	v, err := f.body(w, r)
	if err != nil {
		return err
	}
	a := asking{form: chatForm}
	var messages []fsm.Message
	if err := v.Object(append(a.how(), wire.Each("messages", comm.ContextMax, message(&messages)), wire.Refused("tools", ownTools))...); err != nil {
		return err
	}
	if len(messages) == 0 {
		a.empty = true
		return f.answer(w, r, a)
	}
	last := messages[len(messages)-1]
	if last.Role != fsm.RoleUser {
		return &wire.Error{Message: "the last message has the role " + string(last.Role) + "; the last one is the question, of role user"}
	}
	if strings.TrimSpace(last.Text) == "" {
		return v.Member("messages").Items[len(messages)-1].Fault(noText)
	}
	pictures := 0
	for _, m := range messages {
		pictures += len(m.Images)
	}
	if pictures > comm.ImagesMax {
		return v.Fault("has %d images; send at most %d", pictures, comm.ImagesMax)
	}
	a.request = comm.Request{Text: last.Text, Images: last.Images, Context: append([]fsm.Message{own()}, messages[:len(messages)-1]...)}
	return f.answer(w, r, a)
}

func (f *Front) generate(w http.ResponseWriter, r *http.Request) error {
	v, err := f.body(w, r)
	if err != nil {
		return err
	}
	a := asking{form: generateForm}
	var system string
	in := comm.Request{Context: []fsm.Message{own()}}
	const prompt = "the agent makes its prompts itself"
	if err := v.Object(append(a.how(), wire.Text("prompt", &in.Text), wire.Text("system", &system), images(&in.Images),
		wire.Refused("suffix", "the agent does not insert"), wire.Refused("template", prompt), wire.Refused("raw", prompt),
		wire.Refused("context", "it is not a context of this server; use /api/chat for a conversation"))...); err != nil {
		return err
	}
	if in.Text != "" && strings.TrimSpace(in.Text) == "" {
		return v.Member("prompt").Fault(noText)
	}
	if system != "" {
		in.Context = append(in.Context, fsm.Message{Role: fsm.RoleSystem, Text: system})
	}
	a.request, a.empty = in, in.Text == ""
	return f.answer(w, r, a)
}

// answer has the agent answer a question.
func (f *Front) answer(w http.ResponseWriter, r *http.Request, a asking) error {
	if err := known(a.model); err != nil {
		return err
	}
	a.model = cmp.Or(a.model, Agent)
	if a.empty {
		reason := "load"
		if a.unloads {
			reason = "unload"
		} else { // whether or not the model gets ahead of the question, it comes
			_, _ = f.front.Typing(r.Context(), "", fsm.Origin{Channel: Channel})
		}
		return comm.JSON(w, http.StatusOK, a.form(part{model: a.model, at: time.Now().UTC(), end: &ending{reason: reason}}))
	}
	return f.ask(w, r, a)
}
