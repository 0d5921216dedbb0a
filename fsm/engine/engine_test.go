package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

func TestJRN3EffectsArePerformedInOrderAndOnlyOnceAppended(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	for _, in := range answers(fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}) {
		turn(t, e, in)
	}
	want := []string{
		"append 1 sync", // the boot
		"append 2 sync", // the request
		"perform set_timer", "perform ask_brain",
		"append 3", // the model asks for two tools
		"perform run_tool",
		"append 4 sync", // the first one's result: the second is unsafe
		"perform audit", "perform run_tool",
		"append 5 sync", // the second one's result: it cannot be obtained again
		"perform audit", "perform ask_brain",
		"append 6", // a need
		"perform recall",
		"append 7",
		"perform ask_brain",
		"append 8", // the answer
		"perform ask_brain",
		"append 9", // the summary
		"perform embed",
		"append 10",
		"perform store",
		"append 11 sync", // the entry is stored: the reply
		"perform clear_timer", "perform reply",
	}
	if diff := cmp.Diff(want, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
}

func TestJRN4ATurnIsSyncedExactlyIfItHoldsABarrier(t *testing.T) {
	inputs := session()
	for _, size := range []int{1, 2, 3} {
		j := newJournal()
		e, _ := start(t, j)
		m := machine.New()
		synced := 0
		for chunk := range slices.Chunk(inputs, size) {
			barrier := false
			for _, in := range chunk {
				barrier = m.Barrier(in, m.Step(in)) || barrier
			}
			mark := len(j.protocol.lines)
			turn(t, e, chunk...)
			appended := j.protocol.lines[mark]
			if got := appended[len(appended)-5:] == " sync"; got != barrier {
				t.Errorf("turns of %d: %q; want a sync: %v", size, appended, barrier)
			}
			if barrier {
				synced++
			}
		}
		if synced == 0 || synced*size >= len(inputs) {
			t.Errorf("turns of %d: %d synced turns over %d inputs prove nothing", size, synced, len(inputs))
		}
	}
}

// One turn is one write, with the records and requests of all its inputs.
func TestJRN2ATurnIsOneWrite(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")}, fsm.Input{At: 10, Fact: ask("b")})
	want := []string{"append 1 2 3 sync", "perform set_timer", "perform ask_brain", "perform notify"} // b waits
	if diff := cmp.Diff(want, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
	for _, id := range []string{"a", "b"} {
		if _, ok, err := j.Request(ask(id).Request); !ok || err != nil {
			t.Errorf("request %s: %v, %v; want it recorded", id, ok, err)
		}
	}
	if e.Last() != 3 || len(w.effects) != 3 {
		t.Errorf("last record %d, %d effects; want 3 and 3", e.Last(), len(w.effects))
	}
}

func TestJRN2SplittingTurnsDifferentlyChangesNothing(t *testing.T) {
	inputs := session()
	type outcome struct {
		Effects  []fsm.Effect
		Records  []engine.Record
		Requests []engine.Request
		State    state.Snapshot
	}
	run := func(next func() int) outcome {
		j := newJournal()
		e, w := start(t, j)
		for rest := inputs; len(rest) > 0; {
			n := min(next(), len(rest))
			turn(t, e, rest[:n]...)
			rest = rest[n:]
		}
		o := outcome{Effects: w.effects, Records: j.Records(), State: e.Machine().Snapshot()}
		for _, id := range []string{"a", "b"} {
			r, _, err := j.Request(ask(id).Request)
			if err != nil {
				t.Fatal(err)
			}
			o.Requests = append(o.Requests, r)
		}
		return o
	}
	want := run(func() int { return 1 })
	for _, r := range want.Requests {
		if !r.Done || r.Reply != "an answer" {
			t.Fatalf("request %+v has no reply: the session does not run to its end", r)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := run(func() int { return rapid.IntRange(1, len(inputs)).Draw(t, "turn") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("one by one (-) and in other turns (+):\n%s", diff)
		}
	})
}

func TestJRN11AFailedAppendPerformsNothingAndEndsTheEngine(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	j.broken = errors.New("the disk is gone")
	j.protocol.lines = nil

	first := e.Turn(fsm.Input{At: 10, Fact: ask("a")})
	if !errors.Is(first, engine.ErrDead) || !errors.Is(first, j.broken) {
		t.Errorf("Turn: %v; want ErrDead and the journal's error", first)
	}
	j.broken = nil
	_, accept := e.Accept(10, ask("b"))
	for name, err := range map[string]error{"Turn": e.Turn(fsm.Input{At: 10, Fact: ask("b")}), "Accept": accept} {
		if !errors.Is(err, engine.ErrDead) {
			t.Errorf("%s afterwards: %v; want ErrDead", name, err)
		}
	}
	if diff := cmp.Diff([]string{"append 2 sync"}, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
	if len(w.effects) != 0 {
		t.Errorf("%d effects were performed; want none", len(w.effects))
	}
}

func TestJRN11AnEffectThatCannotBeginEndsTheEngine(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}})
	w.broken = errors.New("no more threads")
	j.protocol.lines = nil
	err := e.Turn(fsm.Input{At: 10, Fact: ask("a")})
	if !errors.Is(err, engine.ErrDead) || !errors.Is(err, w.broken) {
		t.Errorf("Turn: %v; want ErrDead and the world's error", err)
	}
	if again := e.Turn(fsm.Input{At: 10, Fact: ask("b")}); !errors.Is(again, engine.ErrDead) {
		t.Errorf("Turn afterwards: %v; want ErrDead", again)
	}
	want := []string{"append 2 sync", "perform set_timer"}
	if diff := cmp.Diff(want, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
}

// An observer sees a step once it is durable and before the world does.
func TestObserveComesBetweenAppendAndPerform(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	e.Observe = func(s engine.Step) {
		j.protocol.add("observe %d %s, %d effects, %d moves", s.Index, fsm.InputKind(s.Input), len(s.Effects), len(s.Moves))
	}
	turn(t, e, fsm.Input{At: 1, Fact: fsm.Boot{Config: config()}}, fsm.Input{At: 10, Fact: ask("a")})
	want := []string{
		"append 1 2 sync",
		"observe 1 boot, 0 effects, 2 moves",
		"observe 2 requested, 2 effects, 2 moves",
		"perform set_timer", "perform ask_brain",
	}
	if diff := cmp.Diff(want, j.protocol.lines); diff != "" {
		t.Errorf("protocol (-want +got):\n%s", diff)
	}
}

func TestATurnWithoutInputsDoesNothing(t *testing.T) {
	j := newJournal()
	e, w := start(t, j)
	turn(t, e)
	if e.Last() != 0 || len(j.Records()) != 0 || len(w.effects) != 0 {
		t.Errorf("the journal or the world was touched: %v", j.protocol.lines)
	}
}
