package sim

import (
	"encoding/binary"
	"hash/fnv"

	"shelly/fsm"
)

// hashSteps is the hash of a trace: every input as the journal writes it, and
// the hash of what it caused. Two runs with one hash did the same.
func hashSteps(steps []Step) (uint64, error) {
	h := fnv.New64a()
	for _, s := range steps {
		in, err := fsm.MarshalInput(s.Input)
		if err != nil {
			return 0, err
		}
		h.Write(in)
		sum := fsm.HashEffects(s.Effects)
		h.Write(binary.BigEndian.AppendUint64(nil, sum))
	}
	return h.Sum64(), nil
}

// at returns the input as observed at a time.
func at(in fsm.Input, now fsm.Millis) fsm.Input {
	switch in := in.(type) {
	case fsm.Requested:
		in.At = now
		return in
	case fsm.EventRaised:
		in.At = now
		return in
	case fsm.BrainAnswered:
		in.At = now
		return in
	case fsm.BrainFailed:
		in.At = now
		return in
	case fsm.ToolAnswered:
		in.At = now
		return in
	case fsm.ToolStopped:
		in.At = now
		return in
	case fsm.Recalled:
		in.At = now
		return in
	case fsm.Embedded:
		in.At = now
		return in
	case fsm.Stored:
		in.At = now
		return in
	case fsm.TimerFired:
		in.At = now
		return in
	case fsm.SessionLoaded:
		in.At = now
		return in
	case fsm.SessionSaved:
		in.At = now
		return in
	case fsm.SkillLoaded:
		in.At = now
		return in
	case fsm.ScheduleDue:
		in.At = now
		return in
	case fsm.Boot:
		in.At = now
		return in
	case fsm.Configured:
		in.At = now
		return in
	case fsm.CancelRequested:
		in.At = now
		return in
	case fsm.Decided:
		in.At = now
		return in
	case fsm.Resolved:
		in.At = now
		return in
	case fsm.Signalled:
		in.At = now
		return in
	default:
		return in
	}
}
