package openai

import (
	"encoding/base64"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

// message is a client's message.
type message struct {
	at     wire.Value
	role   string
	text   string
	images [][]byte
}

// The roles, as shelly has them.
func (m message) is(roles ...string) bool { return slices.Contains(roles, m.role) }

const ownTools = "the agent uses its own tools, and does not call its caller's; leave it out"

// readMessage reads one of a chat's messages.
func readMessage(to *[]message) func(wire.Value) error {
	return func(v wire.Value) error {
		m := message{at: v}
		err := v.Object(slices.Concat([]wire.Field{
			wire.Text("role", &m.role), {Name: "content", Read: m.content},
			wire.Refused("tool_calls", ownTools), wire.Refused("function_call", ownTools), wire.Refused("tool_call_id", ownTools),
			wire.Refused("audio", "the agent does not hear"),
			wire.Idle("annotations", wire.List),
		}, wire.Idles(wire.String, "name", "refusal", "reasoning", "reasoning_content"))...)
		if err != nil {
			return err
		}
		*to = append(*to, m)
		return m.roleFault()
	}
}

// textFault returns an error if a question has no text; images alone say nothing to do.
func textFault(at wire.Value, text string) error {
	if strings.TrimSpace(text) == "" {
		return at.Fault("has no text; say what the agent should do")
	}
	return nil
}

func (m message) roleFault() error {
	switch {
	case m.is("system", "developer", "user", "assistant"):
		return nil
	case m.is("tool", "function"):
		return m.at.Fault("has the role %q, and %s", m.role, ownTools)
	default:
		return m.at.Fault("has the role %q; the roles are system, developer, user and assistant", m.role)
	}
}

// content reads a text, or parts of text and images.
func (m *message) content(v wire.Value) error {
	if v.Kind == wire.String {
		m.text = v.Text
		return nil
	}
	if err := v.Is(wire.String, wire.List); err != nil {
		return err
	}
	var texts []string
	err := v.Each(comm.ContextMax, func(v wire.Value) error {
		text, image, err := part(v)
		if image != nil {
			m.images = append(m.images, image)
		} else {
			texts = append(texts, text)
		}
		return err
	})
	m.text = strings.Join(texts, "\n")
	return err
}

// part reads a part of a message, as a chat or as a response has it.
func part(v wire.Value) (text string, image []byte, err error) {
	if err := v.Is(wire.Object); err != nil {
		return "", nil, err
	}
	var kind, url string
	switch kind = v.Member("type").Text; kind {
	case "text", "input_text", "output_text":
		err = v.Object(wire.Text("type", &kind), wire.Text("text", &text), wire.Idle("annotations", wire.List), wire.Idle("logprobs", wire.List))
	case "refusal":
		err = v.Object(wire.Text("type", &kind), wire.Text("refusal", &text))
	case "image_url":
		err = v.Object(wire.Text("type", &kind), wire.Field{Name: "image_url", Read: func(v wire.Value) error {
			if v.Kind == wire.String {
				url = v.Text
				return nil
			}
			return v.Object(wire.Text("url", &url), wire.Idle("detail", wire.String))
		}})
	case "input_image":
		err = v.Object(wire.Text("type", &kind), wire.Text("image_url", &url), wire.Idle("detail", wire.String), wire.Refused("file_id", "there are no files here; send the image in image_url as a data: URL"))
	default:
		return "", nil, v.Fault("is a part of type %q; the types are text and image_url, or input_text and input_image", kind)
	}
	if err != nil || !strings.Contains(kind, "image") {
		return text, nil, err
	}
	image, err = picture(v, url)
	return "", image, err
}

// picture reads a data: URL. Nothing is ever fetched (FRT-10).
func picture(v wire.Value, url string) ([]byte, error) {
	head, data, found := strings.Cut(url, ",")
	if !strings.HasPrefix(head, "data:") || !found || !strings.HasSuffix(head, ";base64") {
		return nil, v.Fault("is not an image in a data: URL, and shelly fetches no image; send data:image/png;base64,…")
	}
	image, err := base64.StdEncoding.Strict().DecodeString(data)
	if err != nil || len(image) == 0 {
		return nil, v.Fault("is not an image in base64, as RFC 4648 says, with padding")
	}
	if err := comm.CheckImage(image); err != nil {
		return nil, v.Fault("%v; send the bytes of a PNG, JPEG or WebP file", err)
	}
	return image, nil
}

// history returns a conversation as a request's context, which replaces the session's history,
// whatever that holds (FRT-8).
func history(messages []message) []fsm.Message {
	context := []fsm.Message{{Role: fsm.RoleUser}} // an empty message, which is dropped (SES-7): the history is the caller's even if it is empty
	for _, m := range messages {
		role := fsm.Role(m.role)
		if m.role == "developer" {
			role = fsm.RoleSystem
		}
		context = append(context, fsm.Message{Role: role, Text: m.text, Images: m.images})
	}
	return context
}

// imagesFit checks the number of images in all messages together.
func imagesFit(v wire.Value, messages []message) error {
	n := 0
	for _, m := range messages {
		n += len(m.images)
	}
	if n > comm.ImagesMax {
		return v.Fault("has %d images; send at most %d", n, comm.ImagesMax)
	}
	return nil
}
