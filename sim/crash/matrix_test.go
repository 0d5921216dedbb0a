package crash

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/sim"
	"shelly/sim/script"
)

// roundTrip is one request that calls one unsafe tool once.
func roundTrip() sim.Plan {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	return sim.Plan{
		Config: config,
		Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{
			{Calls: []fsm.ToolCall{{Name: "exec", Args: `{"command":"df"}`}}, Takes: 1200},
			{Text: "92 % full", Takes: 1500},
		}}},
		Stubs: []sim.Stub{{
			Decl: fsm.ToolDecl{Name: "exec", Effects: fsm.EffectsUnsafe},
			Acts: []sim.Act{{Returns: "92%", Takes: 300}},
		}},
		Timeline: []sim.Moment{{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "disk?"}}},
	}
}

// twoAtOnce is a request and an event that are due at the same time.
func twoAtOnce() sim.Plan {
	p := roundTrip()
	p.Stubs = nil
	p.Scripts[0].Lines = []script.Line{{Text: "one", Takes: 10}, {Text: "two", Takes: 10}}
	p.Timeline = append(p.Timeline, sim.Moment{Event: &fsm.EventRaised{Source: "disk", Event: "full"}})
	return p
}

// holds runs the matrix of a plan, in which nothing may fail.
func holds(t *testing.T, p sim.Plan, o sim.Options) Result {
	t.Helper()
	m, err := Matrix(p, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Failures {
		t.Errorf("seed %d: crash at point %d (%s): %s", p.Seed, f.Ordinal, f.Point, f.Text)
	}
	return m
}

// SIM-16: a call that did not begin and may not start again ends as a failure, as after an unknown outcome.
func TestSIM16ACallThatMayNotStartAgainIsNotCompared(t *testing.T) {
	p := roundTrip()
	p.Config.Limits.MaxToolAttempts = 1
	p.Stubs[0].Decl.Probe, p.Stubs[0].Acts[0].Probe = true, &sim.Probe{}
	if m := holds(t, p, sim.Options{}); m.Unknown == 0 {
		t.Error("no run met a call that did not begin")
	}
	p.Config.Limits.MaxToolAttempts = 2
	p.Stubs[0].Acts[0].Times = 2
	if m := holds(t, p, sim.Options{}); m.Unknown > 0 {
		t.Errorf("%d runs met a call that may not start again, of one that may", m.Unknown)
	}
}

// SIM-6: up to its crash a run of the matrix is the run it is compared with, also
// where a seed has chosen what came first.
func TestSIM6AMatrixChoosesAsItsUninterruptedRunDid(t *testing.T) {
	for seed := range uint64(4) { // both orders are among them
		holds(t, twoAtOnce(), sim.Options{Choose: sim.NewSeeded(seed)})
	}
}

// JRN-12: what is remembered of a request or an event is there once.
func TestJRN12TheMatrixSeesWhatMemoryLostOrGained(t *testing.T) {
	straight := crashedAt(t, twoAtOnce(), 0)
	event := slices.IndexFunc(straight.Memory, func(e fsm.Entry) bool { return e.Kind == fsm.KindEvent })
	if event < 0 {
		t.Fatalf("memory %v has no event", straight.Memory)
	}
	for _, test := range []struct {
		name, want string
		memory     []fsm.Entry
	}{
		{"the same", "", straight.Memory},
		{"lost", "memory lost", slices.Delete(slices.Clone(straight.Memory), event, event+1)},
		{"twice", "2 times, without the crash 1 time", append(slices.Clone(straight.Memory), straight.Memory[event])},
		{"another", "which it does not", append(slices.Clone(straight.Memory), fsm.Entry{Kind: fsm.KindEvent, Summary: "other"})},
	} {
		t.Run(test.name, func(t *testing.T) {
			crashed := *straight
			crashed.Memory = test.memory
			wrong := strings.Join(new(Result).compare(&sim.Plan{}, straight, &crashed), "; ")
			if test.want == "" && wrong != "" || !strings.Contains(wrong, test.want) {
				t.Errorf("the comparison says %q, want %q", wrong, test.want)
			}
		})
	}
}

// SIM-6, JRN-12.
func TestMatrixHolds(t *testing.T) {
	m := holds(t, roundTrip(), sim.Options{})
	if m.Points < 20 {
		t.Fatalf("only %d crash points", m.Points)
	}
	for _, point := range sim.Points() {
		if !slices.Contains(m.Struck, string(point)) {
			t.Errorf("no run of the matrix met %s: %v", point, m.Struck)
		}
	}
}

// APR-7: also where the process dies around the question or the decision.
func TestDecisionsSurviveEveryCrash(t *testing.T) {
	p := roundTrip()
	p.Stubs[0].Decl.Approve = true
	p.Stubs[0].Acts[0].Times = 2
	first := &p.Scripts[0].Lines[0]
	first.Calls = append(first.Calls, first.Calls[0])
	for at, approve := range []bool{true, false} {
		p.Timeline = append(p.Timeline, sim.Moment{At: fsm.Millis(at+1) * 5000, Answer: &sim.PersonAnswer{Decision: true, Approve: approve, By: "ann"}})
	}
	holds(t, p, sim.Options{})
}

// SCN-24, SIM-6: a call that a crash has asked again meets what it met before, so that
// the crashed run has the replies of the uninterrupted one.
func TestSCN24ACallAskedAgainMeetsItsFaultAgain(t *testing.T) {
	broken := script.Line{Fails: fsm.BrainError, Reason: "broken"}
	for _, fault := range []sim.Fault{
		{Kind: sim.BrainFault, Nth: 2, Purpose: fsm.PurposeAnswer, Line: broken},
		{Kind: sim.BrainFault, Chance: 400, Line: broken},
		{Kind: sim.StoreFault, Nth: 2, Service: sim.Service{Fails: "busy"}},
	} {
		p := roundTrip()
		p.Stubs, p.Faults, p.Timeline, p.Scripts[0].Lines = nil, []sim.Fault{fault}, nil, nil
		for i, id := range []string{"a", "b", "c"} {
			p.Timeline = append(p.Timeline, sim.Moment{At: fsm.Millis(i) * 10 * fsm.Second, Request: &fsm.Requested{Request: fsm.RequestKey{ID: id}, Text: id}})
			p.Scripts[0].Lines = append(p.Scripts[0].Lines, script.Line{Text: "answered", Takes: fsm.Second})
		}
		for p.Seed = 1; p.Seed <= 5; p.Seed++ {
			holds(t, p, sim.Options{})
		}
	}
}

// SCN-23: the crash matrix sees what is done twice in the world: here by a tool that is
// said to be repeatable, and is not.
func TestSCN23TheMatrixSeesAWriteThatIsRepeated(t *testing.T) {
	p := roundTrip()
	p.World = []sim.Thing{{Name: "log", Data: `"0"`}}
	p.Stubs[0].Acts[0].Changes = []sim.Change{{Kind: sim.Append, Thing: sim.Thing{Name: "log", Data: `"1"`}}}
	for _, effects := range []fsm.ToolEffects{fsm.EffectsUnsafe, fsm.EffectsIdempotent} {
		p.Stubs[0].Decl.Effects = effects
		m, err := Matrix(p, sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		doubled := slices.ContainsFunc(m.Failures, func(f Failure) bool {
			return strings.Contains(f.Text, "the world has") && strings.Contains(f.Text, "011")
		})
		if doubled != (effects == fsm.EffectsIdempotent) {
			t.Errorf("a tool with effects %s: failures %v", effects, m.Failures)
		}
	}
}

// SIM-6: what the matrix does not run again ends as the run at the point before.
func TestSIM6APointAgainIsThePointBefore(t *testing.T) {
	again := 0
	for _, p := range []sim.Plan{roundTrip(), twoAtOnce()} {
		for _, n := range crashedAt(t, p, 0).Again {
			again++
			before, after := crashedAt(t, p, n-1), crashedAt(t, p, n)
			for _, r := range []*sim.Result{before, after} {
				r.Crashes, r.Struck, r.Points, r.Again, r.Fates = nil, nil, 0, nil, nil // the points have other names and numbers
			}
			if !reflect.DeepEqual(before, after) {
				t.Errorf("after a crash at point %d the run is another than after one at the point before", n)
			}
		}
	}
	if again == 0 {
		t.Error("no effect directly follows another")
	}
}
