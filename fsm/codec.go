package fsm

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The wire form of inputs and effects is a JSON object whose first key is
// "kind" and whose other keys are the struct's. The shapes are pinned by golden
// files; a change of shape is a new journal version.

// MarshalInput returns the wire form of an input.
func MarshalInput(in Input) ([]byte, error) {
	if in == nil {
		return nil, errors.New("encode input: there is none")
	}
	return marshalKind(in.kind(), in)
}

// MarshalEffect returns the wire form of an effect.
func MarshalEffect(e Effect) ([]byte, error) { return marshalKind(e.kind(), e) }

// InputKind returns an input's kind as the wire form names it.
func InputKind(in Input) string { return in.kind() }

// EffectKind returns an effect's kind as the wire form names it.
func EffectKind(e Effect) string { return e.kind() }

func marshalKind(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", kind, err)
	}
	out := make([]byte, 0, len(body)+len(kind)+12)
	out = append(out, `{"kind":"`...)
	out = append(out, kind...)
	out = append(out, '"')
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
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	switch head.Kind {
	case "boot":
		return decode[Boot](data)
	case "requested":
		return decode[Requested](data)
	case "event_raised":
		return decode[EventRaised](data)
	case "brain_answered":
		return decode[BrainAnswered](data)
	case "brain_failed":
		return decode[BrainFailed](data)
	case "tool_answered":
		return decode[ToolAnswered](data)
	case "tool_stopped":
		return decode[ToolStopped](data)
	case "recalled":
		return decode[Recalled](data)
	case "embedded":
		return decode[Embedded](data)
	case "stored":
		return decode[Stored](data)
	case "timer_fired":
		return decode[TimerFired](data)
	case "signalled":
		return decode[Signalled](data)
	case "configured":
		return decode[Configured](data)
	case "cancel_requested":
		return decode[CancelRequested](data)
	case "decided":
		return decode[Decided](data)
	case "resolved":
		return decode[Resolved](data)
	case "session_loaded":
		return decode[SessionLoaded](data)
	case "session_saved":
		return decode[SessionSaved](data)
	case "skill_loaded":
		return decode[SkillLoaded](data)
	case "schedule_due":
		return decode[ScheduleDue](data)
	default:
		return nil, fmt.Errorf("decode input: unknown kind %q", head.Kind)
	}
}

func decode[T Input](data []byte) (Input, error) {
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	return v, nil
}
