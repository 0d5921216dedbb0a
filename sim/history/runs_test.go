package history

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
)

// A run that ends while the model is asked has given up: what it was for came too late (HND-67).
func TestCLI143ARunThatDidNotWaitForTheModelGaveUp(t *testing.T) {
	asks := func(of fsm.HandleID) []fsm.Effect {
		var ask fsm.AskBrain
		ask.Handle, ask.Call = of, 5
		return []fsm.Effect{ask}
	}
	for name, c := range map[string]struct {
		asked  fsm.CallID
		fact   fsm.Fact
		caused []fsm.Effect
		gaveUp bool
	}{
		"asked, and something else came": {3, fsm.Recalled{Answered: fsm.To(4)}, nil, true},
		"asked and answered":             {3, fsm.BrainAnswered{Answered: fsm.To(3)}, nil, false},
		"asked again in its last step":   {3, fsm.BrainFailed{Answered: fsm.To(3)}, asks(7), true},
		"another was asked":              {0, fsm.Recalled{Answered: fsm.To(4)}, asks(8), false},
	} {
		f := engine.Folded{Caused: c.caused, Machine: machine.New()}
		f.Input = fsm.Input{At: 90, Fact: c.fact}
		r := Run{Handle: 7, asked: c.asked}
		r.follow(f)
		if r.Ended != 90 || r.GaveUp != c.gaveUp {
			t.Errorf("%s: ended %d, gave up %v", name, r.Ended, r.GaveUp)
		}
	}
}
