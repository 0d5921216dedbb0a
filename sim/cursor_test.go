package sim

import (
	"testing"

	"shelly/fsm"
	"shelly/sim/script"
)

func askOf(call fsm.CallID, session string, hash uint64) fsm.AskBrain {
	return fsm.AskBrain{Asked: fsm.Asked{Call: call, Handle: 1}, Session: session, Purpose: fsm.PurposeAnswer, Conversation: fsm.Conversation{Hash: hash}}
}

// SCN-3: a call that a crash left without its answer gets its line again; the same
// question asked again after an answer is another call.
func TestSCN3LinesAreBoundToTheCallThatFirstTookThem(t *testing.T) {
	p := &Plan{Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{{Fails: fsm.BrainBusy}, {Text: "b"}, {Text: "c"}}}}}
	c := newCursor(p)
	first := askOf(1, "s", 10)
	if got, _ := c.line(first, 0); got != (script.Taken{Script: 0, Index: 0}) {
		t.Fatalf("first call: %v", got)
	}
	c.observe(fsm.Input{Fact: fsm.Boot{}}, []fsm.Effect{askOf(2, "s", 10)})
	if got, _ := c.line(askOf(2, "s", 10), 0); got != (script.Taken{Script: 0, Index: 0}) {
		t.Errorf("after a crash: %v", got)
	}
	c.observe(fsm.Input{Fact: fsm.BrainFailed{Answered: fsm.To(2)}}, []fsm.Effect{askOf(3, "s", 10)})
	if got, _ := c.line(askOf(3, "s", 10), 0); got != (script.Taken{Script: 0, Index: 1}) {
		t.Errorf("after a failure: %v", got)
	}
	c.replay() // the failure was not synced
	c.observe(fsm.Input{Fact: fsm.Boot{}}, []fsm.Effect{askOf(2, "s", 10)})
	if got, _ := c.line(askOf(2, "s", 10), 0); got != (script.Taken{Script: 0, Index: 0}) {
		t.Errorf("after a crash that lost the failure: %v", got)
	}
}

func TestScriptsOfASessionComeBeforeThoseForAll(t *testing.T) {
	p := &Plan{Scripts: []script.Script{
		{Purpose: fsm.PurposeAnswer, Lines: []script.Line{{Text: "shared"}}},
		{Purpose: fsm.PurposeAnswer, Session: "s", Lines: []script.Line{{Text: "own"}}},
	}}
	c := newCursor(p)
	for i, want := range []script.Taken{{Script: 1, Index: 0}, {Script: 0, Index: 0}, script.Nothing} {
		if got, _ := c.line(askOf(fsm.CallID(i+1), "s", uint64(i)), 0); got != want {
			t.Errorf("call %d: %v, want %v", i, got, want)
		}
	}
}

// An attempt of a tool takes the next entry; the same attempt, started again, its own.
func TestAttemptsTakeEntries(t *testing.T) {
	c := newCursor(&Plan{Stubs: []Stub{{Decl: fsm.ToolDecl{Name: "t"}, Acts: []Act{{Failed: true}, {Returns: "ok"}}}}})
	for _, test := range []struct {
		attempt int
		want    script.Taken
	}{{1, script.Taken{Script: 0, Index: 0}}, {1, script.Taken{Script: 0, Index: 0}}, {2, script.Taken{Script: 0, Index: 1}}, {2, script.Taken{Script: 0, Index: 1}}, {3, script.Nothing}} {
		if got, _ := c.act(fsm.RunTool{Asked: fsm.Asked{Handle: 1}, Name: "t", Key: "h1.3", Attempt: test.attempt}, 0); got != test.want {
			t.Errorf("attempt %d: %v, want %v", test.attempt, got, test.want)
		}
	}
}
