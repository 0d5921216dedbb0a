package fsm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// The wire form of inputs and effects is a JSON object whose first key is
// "kind" and whose other keys are the struct's. An input's second key is "at". The
// shapes are pinned by golden files; a change of shape is a new journal version.

// MarshalInput returns the wire form of an input.
func MarshalInput(in Input) ([]byte, error) { return AppendInput(nil, in) }

// AppendInput appends the wire form of an input.
func AppendInput(b []byte, in Input) ([]byte, error) {
	if !Known(in.Fact) {
		return b, errors.New("encode input: there is no fact")
	}
	b = strconv.AppendInt(append(appendKind(b, InputKind(in)), `,"at":`...), int64(in.At), 10)
	b, err := appendFact(append(b, ','), in.Fact)
	if err != nil {
		return b, fmt.Errorf("encode %s: %w", InputKind(in), err)
	}
	return b, nil
}

// appendFact appends the fields of a fact and the closing brace, as json.Marshal writes them but
// faster for the longest fact of each turn.
func appendFact(b []byte, f Fact) ([]byte, error) {
	loaded, ok := f.(SessionLoaded)
	if !ok {
		return appendFields(b, f)
	}
	b = strconv.AppendUint(append(b, `"call":`...), uint64(loaded.Call), 10)
	b, err := AppendSession(append(b, `,"session":`...), loaded.Session)
	if loaded.Error != "" {
		b = appendString(append(b, `,"error":`...), loaded.Error)
	}
	return append(b, '}'), err
}

// AppendSession appends a session as json.Marshal writes it.
func AppendSession(b []byte, s Session) ([]byte, error) {
	history, version := s.History, s.Version
	s.History, s.Version = nil, 0
	rest, err := json.Marshal(s)
	if err != nil {
		return b, err
	}
	b = append(slices.Grow(b, len(rest)+roomOf(history)), '{')
	if version > 0 {
		b = append(strconv.AppendUint(append(b, `"version":`...), version, 10), ',')
	}
	if len(history) > 0 {
		b = append(b, `"history":`...)
		for i := range history {
			if b, err = appendMessage(append(b, "[,"[min(i, 1)]), &history[i]); err != nil {
				return b, err
			}
		}
		b = append(b, "],"...)
	}
	if len(rest) == 2 && b[len(b)-1] == ',' { // nothing but its braces
		b = b[:len(b)-1]
	}
	return append(b, rest[1:]...), nil
}

// roomOf estimates how many bytes messages take on the wire.
func roomOf(messages []Message) (n int) {
	const fields = 96 // the names of the fields that most messages have
	for i := range messages {
		m := &messages[i]
		n += fields + len(m.Text) + len(m.Thinking) + fields*len(m.Calls)
		for k := range m.Calls {
			n += len(m.Calls[k].Args)
		}
	}
	return n + n/16 // for escapes
}

// appendMessage appends a message as json.Marshal writes it. Messages with rare fields are
// left to json.Marshal.
func appendMessage(b []byte, m *Message) ([]byte, error) {
	if len(m.Images) > 0 || len(m.Used) > 0 || m.Part != (Part{}) {
		whole, err := json.Marshal(m)
		return append(b, whole...), err
	}
	b = appendString(append(b, `{"role":`...), string(m.Role))
	b = appendField(b, `,"text":`, m.Text)
	b = appendField(b, `,"thinking":`, m.Thinking)
	for i := range m.Calls {
		c := &m.Calls[i]
		b = append(b, []string{`,"calls":[{`, `,{`}[min(i, 1)]...)
		if c.ID != "" {
			b = append(appendString(append(b, `"id":`...), c.ID), ',')
		}
		b = appendString(append(b, `"name":`...), c.Name)
		b = appendString(append(b, `,"args":`...), c.Args)
		if c.Text {
			b = append(b, `,"text":true`...)
		}
		b = append(b, '}')
	}
	if len(m.Calls) > 0 {
		b = append(b, ']')
	}
	b = appendField(b, `,"tool":`, m.Tool)
	b = appendField(b, `,"tool_call":`, m.ToolCall)
	if m.Aside {
		b = append(b, `,"aside":true`...)
	}
	if m.Source != 0 {
		b = m.Source.appendTo(append(b, `,"source":`...))
	}
	return append(b, '}'), nil
}

// appendField appends a text with its name, unless it is empty.
func appendField(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(append(b, name...), text)
}

// appendString appends a text as json.Marshal writes it. A text with control or non-ASCII
// characters, or one of <, > and &, is left to json.Marshal.
func appendString(b []byte, s string) []byte {
	from, plain := len(b), 0 // s[:plain] is written
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\':
			b = append(append(b, s[plain:i]...), '\\', c)
			plain = i + 1
		case c == '\n':
			b = append(append(b, s[plain:i]...), '\\', 'n')
			plain = i + 1
		case c < ' ', c >= 0x7f, c == '<', c == '>', c == '&':
			whole, _ := json.Marshal(s) // a string never fails
			return append(b[:from], whole...)
		}
	}
	return append(append(b, s[plain:]...), '"')
}

// MarshalEffect returns the wire form of an effect.
func MarshalEffect(e Effect) ([]byte, error) {
	b, err := appendFields(append(appendKind(nil, EffectKind(e)), ','), e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", EffectKind(e), err)
	}
	return b, nil
}

// appendKind appends the beginning of a wire form, up to the kind.
func appendKind(b []byte, kind string) []byte {
	return append(append(append(b, `{"kind":"`...), kind...), '"')
}

// appendFields appends the fields of a struct's JSON and the closing brace. Every kind has a field
// that is always written.
func appendFields(b []byte, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return b, err
	}
	return append(b, body[1:]...), nil
}

// UnmarshalInput reads the wire form of an input. An unknown kind is an error:
// what this code cannot read of a journal is never skipped (JRN-15).
func UnmarshalInput(data []byte) (Input, error) {
	var head struct {
		Kind string `json:"kind"`
		At   Millis `json:"at"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Input{}, fmt.Errorf("decode input: %w", err)
	}
	for _, spec := range facts[1:] {
		if spec.name != head.Kind {
			continue
		}
		fact, err := spec.decode(data)
		if err != nil {
			return Input{}, fmt.Errorf("decode input: %w", err)
		}
		return Input{At: head.At, Fact: fact}, nil
	}
	return Input{}, fmt.Errorf("decode input: unknown kind %q", head.Kind)
}

// UnmarshalEffect reads the wire form of an effect. An unknown kind is an error.
func UnmarshalEffect(data []byte) (Effect, error) {
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode effect: %w", err)
	}
	for _, spec := range effects[1:] {
		if spec.name != head.Kind {
			continue
		}
		e, err := spec.decode(data)
		if err != nil {
			return nil, fmt.Errorf("decode effect: %w", err)
		}
		return e, nil
	}
	return nil, fmt.Errorf("decode effect: unknown kind %q", head.Kind)
}
