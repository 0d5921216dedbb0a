package sim

import (
	"testing"

	"shelly/fsm"
)

// SIM-9: a state that only a crash leads out of is stuck.
func TestSIM9OnlyAnswersLeadToRest(t *testing.T) {
	config := fsm.ShellyProfile()
	config.Init = fsm.InitOff
	rest := fsm.New()
	rest.Step(fsm.Boot{Config: config})
	busy := rest.Clone()
	busy.Step(fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: "?"})
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
			x.visit(&node{index: -1}, "boot", from)
			x.visit(from, test.name, &node{machine: rest, left: test.after})
			x.liveness()
			if got := x.out.Found != nil; got != test.stuck {
				t.Errorf("stuck: %t, want %t; found %v", got, test.stuck, x.out.Found)
			}
		})
	}
}

// INV-6: states in which the world has seen other starts are other states.
func TestStatesDifferByWhatTheWorldHasSeen(t *testing.T) {
	x := &explorer{}
	a := node{machine: fsm.New(), starts: []string{"h1.3"}}
	b := node{machine: fsm.New(), starts: []string{"h1.5"}}
	if x.hash(&a) == x.hash(&b) {
		t.Error("a start of h1.3 and one of h1.5 are one state")
	}
}
