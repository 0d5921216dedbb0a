package sim

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim/script"
)

// roundTrip is one request that calls one unsafe tool once.
func roundTrip() Plan {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	return Plan{
		Config: config,
		Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{
			{Calls: []fsm.ToolCall{{Name: "exec", Args: `{"command":"df"}`}}, Takes: 1200},
			{Text: "92 % full", Takes: 1500},
		}}},
		Stubs: []Stub{{
			Decl: fsm.ToolDecl{Name: "exec", Effects: fsm.EffectsUnsafe},
			Acts: []Act{{Returns: "92%", Takes: 300}},
		}},
		Timeline: []Moment{{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "disk?"}}},
	}
}

func play(t testing.TB, p Plan, o Options) *Result {
	t.Helper()
	r, err := Run(p, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Violations {
		t.Errorf("after step %d: %s: %s", v.Step, v.Invariant, v.Text)
	}
	return r
}

// SIM-1, SIM-3: the shipped machine and engine, in virtual time.
func TestRunPlaysARoundTripInVirtualTime(t *testing.T) {
	r := play(t, roundTrip(), Options{})
	if len(r.Requests) != 1 || r.Requests[0].Reply != "92 % full" {
		t.Fatalf("requests: %+v", r.Requests)
	}
	want := []fsm.State{state.Queued, state.Loading, state.Cognition, state.Summarizing, state.Embedding, state.Storing, state.Done}
	if got := r.Path("handle", 1); !slices.Equal(got, want) {
		t.Errorf("path %v, want %v", got, want)
	}
	if r.End != 3000 {
		t.Errorf("ended at %dms, want 1200 + 300 + 1500", r.End)
	}
	if len(r.Memory) != 1 || len(r.Unexpected) != 0 {
		t.Errorf("memory %v, unexpected %v", r.Memory, r.Unexpected)
	}
}

func TestRunAgainIsTheSameRun(t *testing.T) {
	if a, b := play(t, roundTrip(), Options{}), play(t, roundTrip(), Options{}); a.Hash() != b.Hash() {
		t.Fatalf("hash %x, then %x", a.Hash(), b.Hash())
	}
}

// A crash with the tool's start durable and its answer not: the outcome is
// unknown, the tool is not started again, and the request has its one reply.
func TestCrashWhileAnUnsafeToolRuns(t *testing.T) {
	p := roundTrip()
	p.Crashes = []Crash{{Point: AfterEffect, Effect: "run_tool", After: fsm.Second}}
	r := play(t, p, Options{})
	if len(r.Ran) != 1 {
		t.Errorf("the tool started %d times", len(r.Ran))
	}
	if len(r.Requests) != 1 || !r.Requests[0].Done {
		t.Errorf("requests: %+v", r.Requests)
	}
	lost := r.Final.Config.Words.Text(fsm.WordUnknownOutcome)
	if !slices.ContainsFunc(r.Asked[1].Ask.Conversation.Messages, func(m fsm.Message) bool { return m.Text == lost }) {
		t.Error("the model was not told that the outcome is unknown")
	}
}

// A request that had no word is sent again and accepted once (SIM-5).
func TestARequestIsAcceptedOnceAroundACrash(t *testing.T) {
	for _, point := range []Point{BeforeAppend, AfterAppend} {
		p := roundTrip()
		p.Crashes = []Crash{{Point: point, Nth: 2, After: fsm.Second}} // the boot's append is the first
		r := play(t, p, Options{})
		if len(r.Requests) != 1 || r.Requests[0].Reply != "92 % full" || len(r.Ran) != 1 {
			t.Errorf("%s: requests %+v, tool starts %d", point, r.Requests, len(r.Ran))
		}
	}
}

// Whatever is due first of what is due at once, nothing is lost: rapid chooses,
// so a failure shrinks to the order that breaks.
func TestAnyOrderOfWhatIsDueAtOnce(t *testing.T) {
	p := roundTrip()
	p.Scripts[0].Lines = append(p.Scripts[0].Lines, script.Line{Text: "again"}, script.Line{Text: "heard"})
	p.Timeline = append(p.Timeline,
		Moment{Request: &fsm.Requested{Request: fsm.RequestKey{ID: "b"}, Text: "and?"}},
		Moment{Event: &fsm.EventRaised{Source: "disk", Event: "full"}},
		Moment{At: 1200, Again: true})
	rapid.Check(t, func(rt *rapid.T) {
		r, err := Run(p, Options{Choose: drawn{rt}})
		if err != nil {
			rt.Fatal(err)
		}
		for _, v := range r.Violations {
			rt.Errorf("%s: %s", v.Invariant, v.Text)
		}
		if len(r.Replies()) != 2 {
			rt.Errorf("replies: %+v", r.Requests)
		}
	})
}

// drawn lets rapid choose.
type drawn struct{ t *rapid.T }

func (d drawn) Choose(label string, n int) int { return rapid.IntRange(0, n-1).Draw(d.t, label) }

// SIM-2: the same choices, the same run.
func TestTapeReplaysWhatARecorderKept(t *testing.T) {
	rec := &Recorder{From: NewSeeded(7)}
	var first, again []int
	for n := 2; n < 9; n++ {
		first = append(first, rec.Choose("x", n))
	}
	tape := NewTape(rec.Choices)
	for n := 2; n < 9; n++ {
		again = append(again, tape.Choose("x", n))
	}
	if !slices.Equal(first, again) {
		t.Fatalf("%v, then %v", first, again)
	}
}

// odometer enumerates every sequence of choices: use it for one run, call next,
// and use it again until next returns false.
type odometer struct {
	digits []digit
	at     int
}

type digit struct{ value, base int }

func (o *odometer) Choose(_ string, n int) int {
	if o.at == len(o.digits) {
		o.digits = append(o.digits, digit{0, n})
	}
	d := o.digits[o.at]
	o.at++
	return d.value
}

// next moves to the next sequence; it returns false after the last.
func (o *odometer) next() bool {
	for len(o.digits) > 0 {
		last := &o.digits[len(o.digits)-1]
		if last.value+1 < last.base {
			last.value++
			o.at = 0
			return true
		}
		o.digits = o.digits[:len(o.digits)-1]
	}
	return false
}

func TestOdometerEnumeratesEverySequenceOnce(t *testing.T) {
	var o odometer
	seen := map[[2]int]bool{}
	for {
		a := o.Choose("a", 3)
		b := o.Choose("b", a+1)
		if seen[[2]int{a, b}] {
			t.Fatalf("%d %d twice", a, b)
		}
		seen[[2]int{a, b}] = true
		if !o.next() {
			break
		}
	}
	if len(seen) != 1+2+3 {
		t.Fatalf("%d sequences: %v", len(seen), seen)
	}
}

// Every kind of crash point is met, and each can be the one (SIM-4).
func TestEveryPointCanCrash(t *testing.T) {
	for _, point := range Points() {
		p := roundTrip()
		p.Crashes = []Crash{{Point: point, Nth: 3, After: fsm.Second}}
		r := play(t, p, Options{})
		if len(r.Crashes) != 1 || r.Crashes[0].Point != point {
			t.Errorf("%s: crashes %v", point, r.Crashes)
		}
		if len(r.Replies()) != 1 {
			t.Errorf("%s: requests %+v", point, r.Requests)
		}
	}
}

// SIM-11: more events than a run may take steps, each refused by a full queue.
func TestARunWithoutRestIsAnError(t *testing.T) {
	p := roundTrip()
	p.Config.Limits.MaxQueue = 501
	p.Scripts[0].Lines = []script.Line{{Hangs: true}}
	p.Timeline = nil
	for i := range 501 {
		p.Timeline = append(p.Timeline, Moment{At: fsm.Millis(i), Event: &fsm.EventRaised{Source: "disk", Event: "full"}})
	}
	if _, err := Run(p, Options{StepsMax: 500}); err == nil || !strings.Contains(err.Error(), "no rest after 500 steps") {
		t.Fatalf("the run came to an end: %v", err)
	}
}

// twoAtOnce is a request and an event that are due at the same time.
func twoAtOnce() Plan {
	p := roundTrip()
	p.Stubs = nil
	p.Scripts[0].Lines = []script.Line{{Text: "one", Takes: 10}, {Text: "two", Takes: 10}}
	p.Timeline = append(p.Timeline, Moment{Event: &fsm.EventRaised{Source: "disk", Event: "full"}})
	return p
}

// SIM-2: by enumeration, each order of what is due at once is played, and in each
// of them every request has its reply and every entry its place.
func TestSIM2EveryOrderOfWhatIsDueAtOnce(t *testing.T) {
	var order odometer
	first := map[string]bool{}
	for more := true; more; more = order.next() {
		r := play(t, twoAtOnce(), Options{Choose: &order})
		if len(r.Replies()) != 1 || len(r.Memory) != 2 {
			t.Fatalf("replies %v, memory %v", r.Requests, r.Memory)
		}
		first[r.Replies()[0].Reply] = true
	}
	if len(first) != 2 {
		t.Errorf("the request was answered %v; want it first in one order and second in another", first)
	}
}

// SIM-13: what holds of every run is asked of one that was overtaken, too.
func TestWhatTheWorldSawIsAskedOfEveryRun(t *testing.T) {
	r := play(t, roundTrip(), Options{})
	if wrong := r.Witness(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	r.Ran = append(r.Ran, r.Ran[0])
	r.Requests[0].Done = false
	r.Replied = append(r.Replied, r.Replied[0])
	wrong := r.Witness()
	if len(wrong) != 3 || wrong[0].Invariant != "INV-6" || !strings.Contains(wrong[0].Text, "attempt 1 of") ||
		wrong[1].Invariant != "INV-1" || !strings.Contains(wrong[1].Text, "twice") || wrong[2].Invariant != "INV-1" {
		t.Errorf("got %v; want 3 of them, [0].Invariant %q, [0].Text with %q, [1].Invariant %q, [1].Text with %q, [2].Invariant %q", wrong, "INV-6", "attempt 1 of", "INV-1", "twice", "INV-1")
	}
}
