package fsm

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// CheckRestore checks INV-9 at m's present state: its snapshot, written and read
// back, restores a machine that is equal and that answers every input which could
// come next as m would. It leaves m as it is. It costs some tens of steps.
func CheckRestore(m *Machine) error {
	before, err := json.Marshal(m.Snapshot())
	if err != nil {
		return fmt.Errorf("INV-9: encode the snapshot: %w", err)
	}
	var read Snapshot
	if err := json.Unmarshal(before, &read); err != nil {
		return fmt.Errorf("INV-9: decode the snapshot: %w", err)
	}
	restored := Restore(read)
	if err := sameState(m, restored); err != nil {
		return fmt.Errorf("INV-9: a restored machine differs: %w", err)
	}
	for _, in := range nextInputs(&read) {
		a, b := m.Clone(), restored.Clone()
		want, got := HashEffects(a.Step(in)), HashEffects(b.Step(in))
		if want != got {
			return fmt.Errorf("INV-9: after %s a restored machine has effects %x, not %x", InputKind(in), got, want)
		}
		if x, y := a.s.Hash(), b.s.Hash(); x != y || a.s.LastID != b.s.LastID {
			return fmt.Errorf("INV-9: after %s a restored machine has state %x, not %x", InputKind(in), y, x)
		}
	}
	after, err := json.Marshal(m.Snapshot())
	if err != nil {
		return fmt.Errorf("INV-9: encode the snapshot: %w", err)
	}
	if !bytes.Equal(before, after) {
		return fmt.Errorf("INV-9: steps of a clone changed its original")
	}
	return nil
}

// sameState returns an error where two machines differ in anything that the wire
// form of their state, or its hash, tells.
func sameState(a, b *Machine) error {
	if x, y := a.s.Hash(), b.s.Hash(); x != y {
		return fmt.Errorf("state hash %x, not %x", y, x)
	}
	x, err := json.Marshal(a.s)
	if err != nil {
		return err
	}
	y, err := json.Marshal(b.s)
	if err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return fmt.Errorf("state %s, not %s", y, x)
	}
	return nil
}

// nextInputs returns inputs of each kind that a state waits for or must bear.
func nextInputs(s *Snapshot) []Input {
	at := s.Now + Second
	inputs := []Input{
		{At: at, Fact: Boot{Config: s.Config}},
		{At: at, Fact: Requested{Request: RequestKey{Channel: "check", ID: "restore"}, Text: "hello"}},
		{At: at, Fact: Signalled{Name: "SIGTERM"}},
		{At: at, Fact: TimerFired{Timer: s.GraceTimer}},
	}
	for i := range s.Handles {
		h := &s.Handles[i]
		inputs = append(inputs, Input{At: at, Fact: TimerFired{Timer: h.Timer}}, Input{At: at, Fact: TimerFired{Timer: h.Wait}})
		if h.Kind == KindUser {
			inputs = append(inputs, Input{At: at, Fact: CancelRequested{Request: h.Request}})
		}
		if h.asksPerson() {
			inputs = append(inputs, Input{At: at, Fact: Decided{Handle: h.ID, Key: h.personKey(), Approve: true}}, Input{At: at, Fact: Resolved{Handle: h.ID, Text: "it was done"}})
		}
		switch call := h.Await.Call; h.Await.Kind {
		case CallBrain:
			inputs = append(inputs,
				Input{At: at, Fact: BrainAnswered{Answered: To(call), Stop: StopEndTurn, Text: "an answer"}},
				Input{At: at, Fact: BrainAnswered{Answered: To(call), Stop: StopEndTurn, Text: NeedMarker + " a need"}},
				Input{At: at, Fact: BrainFailed{Answered: To(call), Class: BrainTimeout, Reason: "no answer"}})
			for _, t := range s.Config.Tools {
				inputs = append(inputs, Input{At: at, Fact: BrainAnswered{Answered: To(call), Stop: StopToolUse, Calls: []ToolCall{{Name: t.Name, Args: "{}"}}}})
			}
		case CallTool:
			inputs = append(inputs, Input{At: at, Fact: ToolAnswered{Answered: To(call), Text: "a result"}})
		case CallRecall:
			inputs = append(inputs, Input{At: at, Fact: Recalled{Answered: To(call), Entries: []Memory{{ID: "h1", Summary: "a memory"}}}})
		case CallEmbed:
			inputs = append(inputs, Input{At: at, Fact: Embedded{Answered: To(call), Vector: []byte{0, 0, 0, 0}, Model: "embedder"}})
		case CallSave:
			inputs = append(inputs, Input{At: at, Fact: SessionSaved{Answered: To(call), Conflict: true}})
		}
		if h.Await.Call != 0 {
			inputs = append(inputs,
				Input{At: at, Fact: PlainAnswer(h.Await.Call, h.Await.Kind)},
				Input{At: at, Fact: FailedAnswer(h.Await.Call, h.Await.Kind, "no space")})
		}
	}
	return inputs
}
