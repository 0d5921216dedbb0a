package fsm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The wire form of inputs and effects is a JSON object whose first key is
// "kind" and whose other keys are the struct's. The shapes are pinned by golden
// files; a change of shape is a new journal version.

// MarshalInput returns the wire form of an input.
func MarshalInput(in Input) ([]byte, error) {
	if in.Fact == nil {
		return nil, errors.New("encode input: there is no fact")
	}
	return marshalKind(in.Fact.kind(), in.Fact, func(out []byte) []byte {
		return strconv.AppendInt(append(out, `,"at":`...), int64(in.At), 10)
	})
}

// MarshalEffect returns the wire form of an effect.
func MarshalEffect(e Effect) ([]byte, error) { return marshalKind(e.kind(), e, nil) }

// InputKind returns an input's kind as the wire form names it.
func InputKind(in Input) string {
	if in.Fact == nil {
		return ""
	}
	return in.Fact.kind()
}

// EffectKind returns an effect's kind as the wire form names it.
func EffectKind(e Effect) string { return e.kind() }

func marshalKind(kind string, v any, head func([]byte) []byte) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	out := make([]byte, 0, len(body)+len(kind)+40)
	out = append(out, `{"kind":"`...)
	out = append(out, kind...)
	out = append(out, '"')
	if head != nil {
		out = head(out)
	}
	if len(body) > 2 {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
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
	switch head.Kind {
	case "boot":
		return decode[Boot](head.At, data)
	case "requested":
		return decode[Requested](head.At, data)
	case "event_raised":
		return decode[EventRaised](head.At, data)
	case "brain_answered":
		return decode[BrainAnswered](head.At, data)
	case "brain_failed":
		return decode[BrainFailed](head.At, data)
	case "tool_answered":
		return decode[ToolAnswered](head.At, data)
	case "tool_stopped":
		return decode[ToolStopped](head.At, data)
	case "recalled":
		return decode[Recalled](head.At, data)
	case "embedded":
		return decode[Embedded](head.At, data)
	case "stored":
		return decode[Stored](head.At, data)
	case "timer_fired":
		return decode[TimerFired](head.At, data)
	case "signalled":
		return decode[Signalled](head.At, data)
	case "configured":
		return decode[Configured](head.At, data)
	case "cancel_requested":
		return decode[CancelRequested](head.At, data)
	case "decided":
		return decode[Decided](head.At, data)
	case "resolved":
		return decode[Resolved](head.At, data)
	case "session_loaded":
		return decode[SessionLoaded](head.At, data)
	case "session_saved":
		return decode[SessionSaved](head.At, data)
	case "skill_loaded":
		return decode[SkillLoaded](head.At, data)
	case "schedule_due":
		return decode[ScheduleDue](head.At, data)
	default:
		return Input{}, fmt.Errorf("decode input: unknown kind %q", head.Kind)
	}
}

func decode[T Fact](at Millis, data []byte) (Input, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return Input{}, fmt.Errorf("decode input: %w", err)
	}
	return Input{At: at, Fact: v}, nil
}
