package machine_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/machine"
	"shelly/fsm/state"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func TestJRN15WireFormOfASnapshot(t *testing.T) {
	d := serving(t)
	d.ask("what is here?")
	d.answer("NEED: the folder")
	d.recalls("it is /srv")
	d.calls("list_dir", "send_mail")
	d.toolSays("a.txt")
	d.ask("waits")
	d.askAs(fsm.RequestKey{Channel: "test", ID: "r2"}, "waits")
	d.signal()
	data, err := json.MarshalIndent(d.m.Snapshot(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	const path = "testdata/snapshot.golden"
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(data)); diff != "" {
		t.Errorf("the wire form has changed: that is a new version of the journal (-update rewrites %s)\n%s", path, diff)
	}
}

// checkRestore checks INV-9 at m's present state: its snapshot, written and read back,
// restores an equal machine, which answers every input that could come next as m would. It
// leaves m unchanged, and takes some tens of steps.
func checkRestore(m *machine.Machine) error {
	before, err := json.Marshal(m.Snapshot())
	if err != nil {
		return fmt.Errorf("INV-9: encode the snapshot: %w", err)
	}
	var read state.Snapshot
	if err := json.Unmarshal(before, &read); err != nil {
		return fmt.Errorf("INV-9: decode the snapshot: %w", err)
	}
	restored := machine.Restore(read)
	if err := sameState(m, restored); err != nil {
		return fmt.Errorf("INV-9: a restored machine differs: %w", err)
	}
	for _, in := range nextInputs(&read) {
		a, b := m.Clone(), restored.Clone()
		want, got := fsm.HashEffects(a.Step(in)), fsm.HashEffects(b.Step(in))
		if want != got {
			return fmt.Errorf("INV-9: after %s a restored machine has effects %x, not %x", fsm.InputKind(in), got, want)
		}
		if x, y := a.View().Hash(), b.View().Hash(); x != y || a.View().LastID != b.View().LastID {
			return fmt.Errorf("INV-9: after %s a restored machine has state %x, not %x", fsm.InputKind(in), y, x)
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

// sameState returns an error if two machines differ in the wire form of their state or in
// its hash.
func sameState(a, b *machine.Machine) error {
	if x, y := a.View().Hash(), b.View().Hash(); x != y {
		return fmt.Errorf("state hash %x, not %x", y, x)
	}
	x, err := json.Marshal(a.View())
	if err != nil {
		return err
	}
	y, err := json.Marshal(b.View())
	if err != nil {
		return err
	}
	if !bytes.Equal(x, y) {
		return fmt.Errorf("state %s, not %s", y, x)
	}
	return nil
}

// nextInputs returns inputs of each kind that a state waits for or must tolerate.
func nextInputs(s *state.Snapshot) []fsm.Input {
	at := s.Now + fsm.Second
	inputs := []fsm.Input{
		{At: at, Fact: fsm.Boot{Config: s.Config}},
		{At: at, Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "check", ID: "restore"}, Text: "hello"}},
		{At: at, Fact: fsm.Signalled{Name: "SIGTERM"}},
		{At: at, Fact: fsm.TimerFired{Timer: s.GraceTimer}},
		{At: at, Fact: fsm.Typing{Session: s.Cached.Session}}, {At: at, Fact: fsm.Typing{Unloaded: true}},
	}
	for i := range s.Grants {
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.Revoked{Grant: grant.ID(&s.Grants[i])}})
	}
	for i := range s.Schedules {
		for _, c := range []fsm.ScheduleChange{fsm.ScheduleRemove, fsm.SchedulePause, fsm.ScheduleResume, fsm.ScheduleRun} {
			inputs = append(inputs, fsm.Input{At: at, Fact: fsm.ScheduleChanged{Change: c, Schedule: s.Schedules[i].ID}})
		}
	}
	for i := range s.Handles {
		h := &s.Handles[i]
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.CancelRequested{Handle: h.ID}})
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.TimerFired{Timer: h.Timer}}, fsm.Input{At: at, Fact: fsm.TimerFired{Timer: h.Wait}})
		if h.Kind == fsm.KindUser {
			inputs = append(inputs, fsm.Input{At: at, Fact: fsm.CancelRequested{Request: h.Request}})
		}
		if h.AsksPerson() {
			inputs = append(inputs, fsm.Input{At: at, Fact: fsm.Decided{Handle: h.ID, Key: h.PersonKey(), Approve: true, Grant: fsm.GrantSession}}, fsm.Input{At: at, Fact: fsm.Resolved{Handle: h.ID, Text: "it was done"}})
		}
		for _, a := range h.InFlight() {
			inputs = append(inputs, answersTo(s, a, at)...)
		}
	}
	return inputs
}

// answersTo returns answers to a call in flight, one of each kind that it may have.
func answersTo(s *state.Snapshot, a state.Await, at fsm.Millis) []fsm.Input {
	var inputs []fsm.Input
	switch call := a.Call; a.Kind {
	case fsm.CallBrain:
		inputs = append(inputs,
			fsm.Input{At: at, Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "an answer"}},
			fsm.Input{At: at, Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: fsm.NeedMarker + " a need"}},
			fsm.Input{At: at, Fact: fsm.BrainFailed{Answered: fsm.To(call), Class: fsm.BrainTimeout, Reason: "no answer"}})
		for _, t := range s.Config.Tools {
			inputs = append(inputs, fsm.Input{At: at, Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: t.Name, Args: "{}"}}}})
		}
	case fsm.CallTool:
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "a result"}})
	case fsm.CallRecall:
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.Recalled{Answered: fsm.To(call), Entries: []fsm.Memory{{ID: "h1", Summary: "a memory"}}}})
	case fsm.CallEmbed:
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.Embedded{Answered: fsm.To(call), Vector: []byte{0, 0, 0, 0}, Model: "embedder"}})
	case fsm.CallSave:
		inputs = append(inputs, fsm.Input{At: at, Fact: fsm.SessionSaved{Answered: fsm.To(call), Conflict: true}})
	}
	inputs = append(inputs,
		fsm.Input{At: at, Fact: fsm.PlainAnswer(a.Call, a.Kind)},
		fsm.Input{At: at, Fact: fsm.FailedAnswer(a.Call, a.Kind, "no space")})
	return inputs
}
