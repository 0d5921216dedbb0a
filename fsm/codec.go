package fsm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The wire form of inputs and effects is a JSON object whose first key is
// "kind" and whose other keys are the struct's. An input's second key is "at". The
// shapes are pinned by golden files; a change of shape is a new journal version.

// MarshalInput returns the wire form of an input.
func MarshalInput(in Input) ([]byte, error) {
	if !Known(in.Fact) {
		return nil, errors.New("encode input: there is no fact")
	}
	body, err := json.Marshal(in.Fact)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", InputKind(in), err)
	}
	out := kindFirst(InputKind(in), len(body))
	out = strconv.AppendInt(append(out, `,"at":`...), int64(in.At), 10)
	return structOf(out, body), nil
}

// MarshalEffect returns the wire form of an effect.
func MarshalEffect(e Effect) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", EffectKind(e), err)
	}
	return structOf(kindFirst(EffectKind(e), len(body)), body), nil
}

// kindFirst begins a wire form.
func kindFirst(kind string, body int) []byte {
	out := make([]byte, 0, body+len(kind)+40)
	out = append(out, `{"kind":"`...)
	out = append(out, kind...)
	return append(out, '"')
}

// structOf ends a wire form with what a struct's own begins with.
func structOf(out, body []byte) []byte {
	if len(body) > 2 {
		out = append(out, ',')
	}
	return append(out, body[1:]...)
}

// UnmarshalInput reads the wire form of an input. An unknown kind is an error:
// a journal that this code cannot read is not skipped over (JRN-15).
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
