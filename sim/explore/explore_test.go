package explore

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/sim"
)

// stepped is a machine after some inputs.
func stepped(facts ...fsm.Fact) *machine.Machine {
	m := machine.New()
	for _, f := range facts {
		m.Step(fsm.Input{Fact: f})
	}
	return m
}

// served is a process that serves, in profile shelly.
func served(change ...func(*fsm.Config)) fsm.Boot {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	for _, c := range change {
		c(&config)
	}
	return fsm.Boot{Config: config}
}

// stateOf puts a machine into a world as its next state.
func stateOf(x *explorer, m *machine.Machine, n world) int32 {
	n.at, n.durable = x.put(watched{m, check.MonitorFrom(m)}), none
	return x.enter(n)
}

// SIM-9: a state that only a crash leads out of is stuck.
func TestSIM9OnlyAnswersLeadToRest(t *testing.T) {
	rest := stepped(served())
	busy := stepped(served(), fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"})
	for _, test := range []struct {
		name  string
		by    group
		stuck bool
	}{
		{"an answer", answering, false},
		{"a crash", booting, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			x := newExplorer(Bounds{})
			from := x.states.at(stateOf(x, busy, world{})).world
			to := x.states.at(stateOf(x, rest, world{})).world
			p := x.positions.list[from.at]
			for g := answering; g <= booting; g++ { // nothing but one step leads on
				p.tried = append(p.tried, span{group: g})
			}
			p.find(test.by, 0).n = 1
			x.positions.edges = []edge{{to: to.at, barrier: true}}
			x.liveness()
			if got := x.out.Found != nil; got != test.stuck {
				t.Errorf("stuck: %t, want %t; found %v", got, test.stuck, x.out.Found)
			}
		})
	}
}

// INV-6: states in which the world has seen other things are other states.
func TestStatesDifferByWhatTheWorldHasSeen(t *testing.T) {
	x := newExplorer(Bounds{})
	m := machine.New()
	list := func(what string) uint32 {
		seen, _, _ := x.seen.add(0, x.seen.step([]sighting{{what: what}}), true)
		return seen
	}
	for _, what := range []string{"the start of h1.3", "the start of h1.5", "the start of h1.3"} {
		stateOf(x, m, world{seen: list(what)})
	}
	if x.states.len() != 2 {
		t.Errorf("%d states: a start of h1.3 and one of h1.5 are two", x.states.len())
	}
}

// SIM-9: rest is looked for along every answer, and not found where none leads there.
func TestSIM9RestAfterAReplay(t *testing.T) {
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
	asked := []fsm.Fact{
		served(func(c *fsm.Config) { c.Switches.Cancel = fsm.CancelImmediate }),
		fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"},
	}
	cancel := fsm.CancelRequested{Request: fsm.RequestKey{ID: "a"}}
	before, after := stepped(asked...).View(), stepped(append(asked, cancel)...).View()
	call := before.Handles[0].Await
	late := given{}.after(before, after, fsm.Input{Fact: cancel})
	if a := late.answers(nil); len(a) != 1 || late.call != call.Call || fsm.Answers(a[0].input) != call.Call {
		t.Errorf("%+v is late after the cancel of %+v", late, call)
	}
	if l := late.after(after, after, fsm.Input{Fact: fsm.Boot{}}); l != (given{}) {
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
			x := newExplorer(Bounds{})
			shows := x.seen.step(onlyOnce(nil, []fsm.Effect{test.effect}))
			list, _, ok := x.seen.add(0, shows, true)
			if !ok {
				t.Fatal("once is twice")
			}
			_, what, ok := x.seen.add(list, shows, true)
			again, got := !ok, what.invariant
			if again != (test.want != "") || got != test.want {
				t.Errorf("again: %t, by %q; want %q", again, got, test.want)
			}
		})
	}
}

// SIM-10: a walk to a depth goes just so deep. A crash before the effects of a step is part of it.
func TestSIM10AWalkGoesNoDeeper(t *testing.T) {
	world := SmallWorld()
	world.DepthMax = 4
	x := walked(world)
	if x.out.Depth != world.DepthMax || x.out.Cut == 0 {
		t.Errorf("depth %d, %d cut", x.out.Depth, x.out.Cut)
	}
	for i := range x.states.len() {
		if n := x.states.at(int32(i)); int(n.depth) != len(x.way(int32(i))) {
			t.Fatalf("state %d has depth %d after %d steps", i, n.depth, len(x.way(int32(i))))
		}
	}
}
