package machine

import (
	"reflect"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// asking returns a machine whose one handle awaits the model's answer.
func asking(t *testing.T) (*Machine, fsm.CallID) {
	t.Helper()
	c := profile.Shelly()
	c.Init = fsm.InitOff
	m := New()
	m.Step(fsm.Input{At: 1, Fact: fsm.Boot{Config: c}})
	m.Step(fsm.Input{At: 2, Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Text: "hello"}})
	if len(m.s.Handles) != 1 || m.s.Handles[0].Await.Kind != fsm.CallBrain {
		t.Fatalf("the handles are %+v", m.s.Handles)
	}
	return m, m.s.Handles[0].Await.Call
}

// in puts a machine whose one handle runs into a state of a table.
func in(t *testing.T, table state.Table, s fsm.State) (m *Machine, i int) {
	t.Helper()
	m, _ = asking(t)
	m.effects, m.moves = nil, nil
	switch table.Name {
	case state.Lifecycle.Name:
		m.s.Lifecycle = s
		return m, none
	case state.HandleTable.Name:
		m.s.Handles[0].State = s
	default:
		m.s.Handles[0].Inf.State = s
	}
	return m, 0
}

func TestTAB3AnEventWithoutARowChangesNothing(t *testing.T) {
	eachTable(t, func(t *testing.T, table state.Table) {
		tried := 0
		for _, from := range states(table) {
			for _, on := range append(events(table), "no such event") {
				if _, ok := find(table, from, on); ok {
					continue
				}
				tried++
				m, i := in(t, table, from)
				want := m.Snapshot()
				want.Ignored.Moves = 1
				touch := func(*state.Handle) { t.Errorf("%s on %s writes", from, on) }
				if m.fire(i, firing{on: on, first: touch, write: touch, answered: true}) {
					t.Errorf("%s on %s is taken", from, on)
				}
				if got := m.Snapshot(); !reflect.DeepEqual(got, want) || len(m.effects) > 0 || len(m.moves) > 0 {
					t.Errorf("%s on %s: %d effects, %d moves, or the state has changed", from, on, len(m.effects), len(m.moves))
				}
			}
		}
		if tried < len(table.Rows) {
			t.Errorf("only %d pairs have no row", tried)
		}
	})
}

// The same holds for an inference that is given up with its handle.
func TestTAB3AnInferenceThatNoRowEndsStaysAsItIs(t *testing.T) {
	m, _ := asking(t)
	m.running = &running{lifecycle: m.lifecycle, handle: m.handle, inference: m.inference}
	m.giveUp(&m.s.Handles[0])
	if got := m.s.Handles[0].Inf.State; got != state.Thinking || m.s.Ignored.Moves != 1 {
		t.Errorf("it is %s, and %d are refused", got, m.s.Ignored.Moves)
	}
}

// An answer for which there is no row stays awaited until the handle's time is up.
func TestTAB3AnAnswerWithoutARowStaysAwaited(t *testing.T) {
	m, call := asking(t)
	lacking := state.InferenceTable
	lacking.Rows = slices.DeleteFunc(slices.Clone(lacking.Rows), func(r state.Row) bool { return r.On == state.OnEndTurn })
	m.running = newRunning(state.Lifecycle, state.HandleTable, lacking, handlePhases)

	before := m.s.Handles[0]
	effects := m.Step(fsm.Input{At: 3, Fact: fsm.BrainAnswered{Answered: fsm.To(call), Text: "hi", Stop: fsm.StopEndTurn}})
	if len(effects) > 0 || m.s.Ignored.Moves != 1 || !reflect.DeepEqual(m.s.Handles[0], before) {
		t.Errorf("effects %v, %d refused, the handle is %+v", effects, m.s.Ignored.Moves, m.s.Handles[0])
	}
	effects = m.Step(fsm.Input{At: 4, Fact: fsm.TimerFired{Timer: before.Timer}})
	if !slices.ContainsFunc(effects, func(e fsm.Effect) bool {
		reply, ok := e.(fsm.Reply)
		return ok && reply.Outcome == fsm.OutcomeTimeout
	}) {
		t.Errorf("when its time is up: %v", effects)
	}
}

// An event acts in this order: the answer is consumed, the data written, the state set, the
// work of the destination done; an event that this fires is taken after it.
func TestTAB2AnEventActsInOrder(t *testing.T) {
	m, _ := asking(t)
	var seen []string
	see := func(what string) {
		h := &m.s.Handles[0]
		if h.Await.Call != 0 {
			what += ", awaited"
		}
		seen = append(seen, what+", "+string(h.State))
	}
	phases := slices.Clone(handlePhases)
	phases[slices.IndexFunc(phases, func(p Phase) bool { return p.State == state.Recalling })].enter = func(m *Machine, _ int) firing {
		see("enter")
		defer see("left")
		return firing{on: state.OnRecalled, write: func(*state.Handle) { see("write again") }}
	}
	m.running = newRunning(state.Lifecycle, state.HandleTable, state.InferenceTable, phases)

	see("before")
	ok := m.fire(0, firing{
		on: state.OnNeed, answered: true,
		first: func(*state.Handle) { see("first") },
		write: func(*state.Handle) { see("write") },
	})
	see("after")
	want := []string{
		"before, awaited, cognition",
		"first, cognition", "write, cognition", "enter, recalling", "left, recalling",
		"write again, recalling", "after, awaited, cognition",
	}
	if !ok || !slices.Equal(seen, want) {
		t.Errorf("%t\ngot  %q\nwant %q", ok, seen, want)
	}
}

// A phase of the handle says what is awaited, or leaves it to the phase of its inference.
func TestTAB1AHandleAwaitsWhatItsPhaseSays(t *testing.T) {
	for _, tt := range []struct{ handle, inference, want fsm.State }{
		{state.Cognition, state.Acting, state.Acting},
		{state.Summarizing, state.BackingOff, state.BackingOff},
		{state.Saving, state.Completed, state.Saving},
		{state.Queued, state.Thinking, state.Queued},
		{"unheard of", state.Thinking, "unheard of"},
	} {
		h := state.Handle{
			Standing:  state.Standing{State: tt.handle},
			Inferring: state.Inferring{Inf: state.Inference{Begun: state.Begun{State: tt.inference}}},
		}
		if got := Awaits(&h).State; got != tt.want {
			t.Errorf("%s with %s: %s, want %s", tt.handle, tt.inference, got, tt.want)
		}
	}
}

// No phase arms such a timer; a state that has one does not come from a machine, and does
// no harm.
func TestTAB1AWaitThatThePhaseDoesNotHaveEndsInNothing(t *testing.T) {
	m, _ := asking(t)
	m.s.Handles[0].Wait = 77
	if effects := m.Step(fsm.Input{At: 3, Fact: fsm.TimerFired{Timer: 77}}); len(effects) > 0 || len(m.moves) > 0 {
		t.Errorf("effects %v, moves %v", effects, m.moves)
	}
}
