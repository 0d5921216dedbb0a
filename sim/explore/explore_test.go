package explore

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/sim"
)

// SIM-9: a state that only a crash leads out of is stuck.
func TestSIM9OnlyAnswersLeadToRest(t *testing.T) {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	rest := machine.New()
	rest.Step(fsm.Input{Fact: fsm.Boot{Config: config}})
	busy := rest.Clone()
	busy.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"}})
	for _, test := range []struct {
		name  string
		after left
		stuck bool
	}{
		{"an answer", left{crashes: 1}, false},
		{"a crash", left{}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := &explorer{seen: map[uint64]int32{}}
			from := &node{machine: busy, left: left{crashes: 1}}
			x.visit(&node{index: -1}, edge{name: "boot"}, from)
			x.visit(from, edge{name: test.name}, &node{machine: rest, left: test.after})
			x.liveness()
			if got := x.out.Found != nil; got != test.stuck {
				t.Errorf("stuck: %t, want %t; found %v", got, test.stuck, x.out.Found)
			}
		})
	}
}

// INV-6: states in which the world has seen other things are other states.
func TestStatesDifferByWhatTheWorldHasSeen(t *testing.T) {
	x := &explorer{}
	a := node{machine: machine.New(), witnessed: []string{"the start of h1.3"}}
	b := node{machine: machine.New(), witnessed: []string{"the start of h1.5"}}
	if x.hash(&a) == x.hash(&b) {
		t.Error("a start of h1.3 and one of h1.5 are one state")
	}
}

// SIM-9: rest is looked for along every answer, and not found where none leads there.
func TestSIM9RestBehindAReplay(t *testing.T) {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	m := machine.New()
	m.Step(fsm.Input{Fact: fsm.Boot{Config: config}})
	m.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"}})
	if !Rests(m) {
		t.Error("a request that waits for the model never rests")
	}
	if newExplorer(Bounds{StatesMax: 1}).rests(m) {
		t.Error("rest is found without looking for it")
	}
}

// INV-8: an answer to a call that was given up comes late, and changes nothing.
func TestINV8LateAnswersAreTried(t *testing.T) {
	config := profile.Shelly()
	config.Init, config.Switches.Cancel = fsm.InitOff, fsm.CancelImmediate
	before := &node{machine: machine.New()}
	before.machine.Step(fsm.Input{Fact: fsm.Boot{Config: config}})
	before.machine.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"}})
	call := before.machine.View().Handles[0].Await
	cancel := fsm.Input{Fact: fsm.CancelRequested{Request: fsm.RequestKey{ID: "a"}}}
	after := &node{machine: before.machine.Clone()}
	after.machine.Step(cancel)
	given := lateAfter(before, after, cancel)
	if a, ok := given.answer(); !ok || given.call != call.Call || fsm.Answers(a.input) != call.Call {
		t.Errorf("%+v is late after the cancel of %+v", given, call)
	}
	after.late = given
	if l := lateAfter(after, after, fsm.Input{Fact: fsm.Boot{}}); l != (late{}) {
		t.Errorf("%+v is late in a new process", l)
	}
}

// INV-1: requests of two channels may have one id.
func TestRepliesInTwoChannelsAreTwo(t *testing.T) {
	one, _, _ := sim.Once(fsm.Reply{Request: fsm.RequestKey{Channel: "c", ID: "a"}})
	other, _, _ := sim.Once(fsm.Reply{Request: fsm.RequestKey{Channel: "d", ID: "a"}})
	if one == other {
		t.Errorf("both are %s", one)
	}
}

// INV-1, INV-6: what a crash may have made the machine forget, the world has seen.
func TestTheWorldSeesNothingTwice(t *testing.T) {
	for _, test := range []struct {
		name   string
		effect fsm.Effect
		want   string
	}{
		{"a reply", fsm.Reply{Request: fsm.RequestKey{ID: "a"}}, "INV-1"},
		{"a reply in a channel", fsm.Reply{Request: fsm.RequestKey{Channel: "c", ID: "a"}}, "INV-1"},
		{"an unsafe tool", fsm.RunTool{Key: "h1.3", Effects: fsm.EffectsUnsafe}, "INV-6"},
		{"a tool that may be repeated", fsm.RunTool{Key: "h1.3", Effects: fsm.EffectsNone}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, from, next := &explorer{}, &node{index: -1}, &node{}
			if x.seenTwice(from, edge{name: "once"}, next, test.effect) {
				t.Fatalf("once is twice: %v", x.out.Found)
			}
			again, got := x.seenTwice(from, edge{name: "again"}, next, test.effect), ""
			if x.out.Found != nil {
				got = x.out.Found.Invariant
			}
			if again != (test.want != "") || got != test.want {
				t.Errorf("again: %t, found %q; want %q", again, got, test.want)
			}
		})
	}
}
