package machine_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// checkStep fails the property if a step breaks an invariant, or leaves a handle with the
// data of another phase.
func checkStep(t *rapid.T, w *check.Monitor, m *machine.Machine, in fsm.Input, effects []fsm.Effect) {
	for _, v := range w.Step(m, in, effects) {
		t.Errorf("after %T %+v: %s", in.Fact, in, v)
	}
	for _, what := range misplaced(m.View()) {
		t.Errorf("after %T %+v: %s", in.Fact, in, what)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// throughWire returns an input as it is read back from its wire form.
func throughWire(t *rapid.T, in fsm.Input) fsm.Input {
	switch in.Fact.(type) {
	case nil, *fsm.Boot:
		return in
	}
	data, err := fsm.MarshalInput(in)
	if err != nil {
		t.Fatal(err)
	}
	back, err := fsm.UnmarshalInput(data)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, back) {
		t.Fatalf("the wire form of %T loses something: %s", in.Fact, cmp.Diff(in, back))
	}
	return back
}

// throughSnapshot returns the machine restored from m's written snapshot.
func throughSnapshot(t *rapid.T, m *machine.Machine) *machine.Machine {
	data, err := json.Marshal(m.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var s state.Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return machine.Restore(s)
}

// anythingAtAll gives a machine any inputs, and gives the same inputs through the wire form to a
// twin, which is restored from its snapshot now and then.
func anythingAtAll(t *rapid.T, m *machine.Machine) {
	twin, w := throughSnapshot(t, m), check.MonitorFrom(m)
	t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
		in := genInput(t, m.View())
		effects := m.Step(in)
		checkStep(t, w, m, in, effects)
		if got, want := fsm.HashEffects(twin.Step(throughWire(t, in))), fsm.HashEffects(effects); got != want {
			t.Fatalf("after %T the twin has other effects", in.Fact)
		}
		if m.View().Hash() != twin.View().Hash() {
			t.Fatalf("after %T the twin is in another state", in.Fact)
		}
		if rapid.IntRange(0, 60).Draw(t, "restore") == 13 {
			twin, w = throughSnapshot(t, m), check.MonitorFrom(m)
		}
	}})
	if diff := cmp.Diff(m.Snapshot(), twin.Snapshot()); diff != "" {
		t.Fatalf("the twin is in another state: %s", diff)
	}
	if err := checkRestore(m); err != nil {
		t.Fatal(err)
	}
	if n := m.View().Ignored.Moves; n != 0 {
		t.Fatalf("a table refused %d moves", n)
	}
}

func TestStepIsTotalAndDeterministic(t *testing.T) { eachStart(t, anythingAtAll) }

// A machine that takes over another's state, like a clone of it, has taken no step of its own.
func TestACopyHasNoMovesOfItsLifeBefore(t *testing.T) {
	d, to := serving(t), machine.New()
	to.Step(fsm.Input{At: d.at, Fact: fsm.Boot{Config: d.config}})
	if len(to.Moves()) == 0 {
		t.Fatal("a boot makes no moves")
	}
	d.m.CopyTo(to)
	if moves, want := to.Moves(), d.m.Clone().Moves(); len(moves) != 0 || len(want) != 0 {
		t.Errorf("it has made %+v, a clone %+v", moves, want)
	}
}

// TestAClonesLifeIsItsOwn makes clones of one machine go different ways.
func TestAClonesLifeIsItsOwn(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *machine.Machine) {
		w := check.MonitorFrom(m)
		walk := func(m *machine.Machine, w *check.Monitor, steps int) (inputs []fsm.Input, hashes []uint64) {
			for range steps {
				in := genInput(t, m.View())
				effects := m.Step(in)
				checkStep(t, w, m, in, effects)
				inputs, hashes = append(inputs, in), append(hashes, fsm.HashEffects(effects))
			}
			return inputs, hashes
		}
		walk(m, w, rapid.IntRange(0, 8).Draw(t, "before"))
		fork, before := m.Clone(), m.Snapshot()
		other, others := m.Clone(), w.Clone()
		walk(other, others, rapid.IntRange(0, 4).Draw(t, "elsewhere"))
		m.CopyTo(other) // into the memory of a clone that went another way
		w.CopyTo(others)
		steps := rapid.IntRange(1, 8).Draw(t, "after")
		walk(fork, w.Clone(), steps)
		forked := throughSnapshot(t, fork).Snapshot()
		inputs, hashes := walk(m, w.Clone(), steps)
		if a := fork.Snapshot(); !cmp.Equal(forked, a) {
			t.Fatalf("a clone has changed with its original: %s", cmp.Diff(forked, a))
		}
		if a := other.Snapshot(); !cmp.Equal(before, a) {
			t.Fatalf("a clone that was left alone has changed: %s", cmp.Diff(before, a))
		}
		for i, in := range inputs {
			effects := other.Step(in)
			checkStep(t, others, other, in, effects)
			if fsm.HashEffects(effects) != hashes[i] {
				t.Fatalf("after %T a clone has different effects from its original", in.Fact)
			}
		}
		if a, b := m.Snapshot(), other.Snapshot(); !cmp.Equal(a, b) {
			t.Fatalf("a clone ends in a different state from its original: %s", cmp.Diff(a, b))
		}
	})
}

// TestEffectsStayAsTheyWereGiven: effects share messages with the machine, which must never
// change what it has returned.
func TestEffectsStayAsTheyWereGiven(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *machine.Machine) {
		var given []fsm.Effect
		var as []string
		write := func(e fsm.Effect) string {
			data, err := fsm.MarshalEffect(e)
			if err != nil {
				t.Fatal(err)
			}
			return string(data)
		}
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			for _, e := range m.Step(genInput(t, m.View())) {
				if ask, ok := e.(fsm.AskBrain); ok && cap(ask.Conversation.Messages) > len(ask.Conversation.Messages) {
					t.Fatal("appending to the messages of an effect writes into the machine")
				}
				given, as = append(given, e), append(as, write(e))
			}
		}})
		for i, e := range given {
			if now := write(e); now != as[i] {
				t.Fatalf("an effect was given as %s and is now %s", as[i], now)
			}
		}
	})
}

// TestINV12RestIsReachable leaves a machine, after any inputs, with a world that answers in
// any way.
func TestINV12RestIsReachable(t *testing.T) {
	eachStart(t, func(t *rapid.T, m *machine.Machine) {
		w := check.MonitorFrom(m)
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			in := genInput(t, m.View())
			checkStep(t, w, m, in, m.Step(in))
		}
		const enough = 20_000 // for some handles, each within 4 inferences of 20 rounds of 4 calls
		for n := 0; !check.Resting(m.View()); n++ {
			s := m.View()
			i := slices.IndexFunc(s.Handles, func(h state.Handle) bool { return h.Busy() })
			var in fsm.Input
			if i >= 0 {
				a := rapid.SampledFrom(s.Handles[i].InFlight()).Draw(t, "await")
				in = genAnswer(t, s.Now+1, a.Call, a.Kind)
			} else if i = slices.IndexFunc(s.Handles, func(h state.Handle) bool { return h.Wait != 0 }); i >= 0 {
				in = fsm.Input{At: s.Now + 1, Fact: fsm.TimerFired{Timer: s.Handles[i].Wait}} // nobody decides, or the model is asked again
			}
			if in.Fact == nil || n == enough {
				t.Fatalf("no rest after %d answers: %+v", n, s)
			}
			checkStep(t, w, m, in, m.Step(in))
		}
	})
}

// sink is a world in which no effect has a result.
type sink struct{ performed []fsm.Effect }

func (s *sink) Perform(e fsm.Effect) error {
	s.performed = append(s.performed, e)
	return nil
}

// TestINV9BatchesSplitAnyhowCauseTheSameEffects gives engines the same inputs one by one
// and in turns of any size.
func TestINV9BatchesSplitAnyhowCauseTheSameEffects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inputs := []fsm.Input{{Fact: fsm.Boot{Config: genConfig(t)}}}
		m := machine.New()
		m.Step(inputs[0])
		t.Repeat(map[string]func(*rapid.T){"step": func(t *rapid.T) {
			in := genInput(t, m.View())
			m.Step(in)
			inputs = append(inputs, in)
		}})
		run := func(sizes *rapid.Generator[int]) (*engine.MemoryJournal, []fsm.Effect) {
			journal, world := engine.NewMemoryJournal(), &sink{}
			e, err := engine.Open(journal, world)
			if err != nil {
				t.Fatal(err)
			}
			for rest := inputs; len(rest) > 0; {
				n := min(sizes.Draw(t, "turn"), len(rest))
				if err := e.Turn(rest[:n]...); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			return journal, world.performed
		}
		oneByOne, want := run(rapid.Just(1))
		inTurns, got := run(rapid.IntRange(1, 8))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the effects differ: %s", diff)
		}
		if diff := cmp.Diff(oneByOne.Records(), inTurns.Records()); diff != "" {
			t.Fatalf("the journals differ: %s", diff)
		}
	})
}
