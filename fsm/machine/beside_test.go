package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// The model is not asked for an initial inference beside others while one of these runs or waits. It keeps what
// it has, and its time.
func TestLIF17AnInitialInferenceGivesWay(t *testing.T) {
	d := first(t)
	look := one[fsm.AskBrain](d)
	d.ask("hello")
	d.inStates(state.Queued, state.Cognition)
	if aborted := one[fsm.AbortCall](d); aborted.Call != look.Call {
		t.Errorf("aborted %+v, not call %d", aborted, look.Call)
	}
	left := d.m.View().Handles[0].Left
	if all := d.config.Limits.InitTimeout; left >= all || left <= 0 {
		t.Errorf("%s of %s is left", left, all)
	}
	d.answer("good day")
	d.inStates(state.Queued, state.Summarizing)
	d.answer("a greeting")
	d.embeds()
	d.stores()
	d.inStates(state.Execution)
	again := one[fsm.AskBrain](d)
	same(t, look.Messages(), again.Messages())
	for _, timer := range of[fsm.SetTimer](d.effects) {
		if timer.Purpose == fsm.TimerHandle && timer.After != left {
			t.Errorf("it goes on with %s; %s was left", timer.After, left)
		}
	}
}

// What it has begun to do it does; the model is asked about it only when nobody else runs or waits.
func TestLIF17AToolOfAnInitialInferenceIsNotCut(t *testing.T) {
	for edition, want := range map[int]fsm.State{fsm.TwentyFirstEdition: state.Queued, fsm.TwentiethEdition: state.Execution} { // order-free
		d := newDriver(t)
		d.config.Init, d.config.Switches.InitBeside, d.config.Edition = fsm.InitFirstStart, true, edition
		d.boot()
		d.calls("send_mail")
		d.ask("hello")
		d.inStates(state.Execution, state.Cognition)
		no[fsm.AbortCall](d)
		d.toolSays("a disk")
		d.inStates(want, state.Cognition)
		if asks := len(of[fsm.AskBrain](d.effects)); asks != 0 && want == state.Queued {
			t.Errorf("the model is asked %d times", asks)
		}
		if want == state.Execution {
			continue
		}
		d.boot() // a crash does not cost what it has
		d.inStates(state.Queued, state.Cognition)
		d.answer("good day")
		d.remember()
		d.inStates(state.Execution)
		if last := d.lastMessage(); last.Role != fsm.RoleTool || !strings.Contains(last.Text, "a disk") {
			t.Errorf("it goes on with %+v", last)
		}
		d.answer("I see a disk.")
		d.inStates(state.Embedding)
	}
}

// A wait for the model is given up for whoever comes, too, and the model is asked at once when it goes on.
func TestLIF17AWaitForTheModelGivesWay(t *testing.T) {
	d := newDriver(t)
	d.config.Init, d.config.Switches.InitBeside, d.config.Limits.Backoff = fsm.InitFirstStart, true, []fsm.Millis{30 * fsm.Second}
	d.boot()
	d.brainFails(fsm.BrainUnreachable, "away")
	d.ask("hello")
	d.inStates(state.Queued, state.Cognition)
	d.answer("good day")
	d.remember()
	d.inStates(state.Execution)
	one[fsm.AskBrain](d)
}

// It would push the conversation of the one who was served out of the server's slot, and idles first. Whoever comes
// sends it back to the queue; a stop and a start leave it what it has.
func TestLIF17AnInitialInferenceIdles(t *testing.T) {
	d := slow(t, func(c *fsm.Config) {
		c.Init, c.Switches.InitBeside, c.Switches.ReadAhead = fsm.InitFirstStart, true, true
	})
	d.calls("send_mail")
	d.in("a", "How do I begin a sourdough?")
	d.toolSays(strings.Repeat("a disk ", 200))
	d.finishes("a")
	d.inStates(state.Idling, state.Summarizing)
	d.answer("bread")
	d.embeds()
	d.stores()
	d.inStates(state.Idling)
	if d.m.ReadsFor(fsm.Typing{Session: "a"}) {
		t.Error("what the server holds is read again")
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Typing{Session: "b"}})
	d.inStates(state.Queued, state.Loading) // for a person who writes
	d.loads(fsm.Session{})
	d.inStates(state.Idling)
	d.signal()
	d.boot()
	d.inStates(state.Idling)
	d.boot() // a crash while it idles
	d.inStates(state.Idling)
	d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.m.View().Handles[0].Wait}})
	d.inStates(state.Execution)
	if last := d.lastMessage(); last.Role != fsm.RoleTool {
		t.Errorf("it goes on with %+v", last)
	}
}
