package regression

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Why a question cannot be asked with other prompts.
const (
	beganBefore = "its handle began before the records that are looked at, with the prompts of then"
	otherWay    = "with the changed prompts the machine does not ask this here"
	wentAnother = "with the changed prompts the machine would have taken another path before it"
)

// changed is a second machine that takes the same inputs under other prompts. What it
// asks is built by the machine's own code: the system prompt, the question of a
// cognition, what is said after results. Answers and results are the recorded ones.
type changed struct {
	machine *machine.Machine
	prompts func(*fsm.Prompts)
	lost    map[fsm.HandleID]string // handles whose conversation has texts of other prompts, and why
	parted  bool                    // the machines parted in the last step
}

// newChanged begins at a snapshot, or with the first record.
func newChanged(at uint64, s state.Snapshot, prompts func(*fsm.Prompts)) *changed {
	c := &changed{machine: machine.New(), prompts: prompts, lost: map[fsm.HandleID]string{}}
	if at > 0 {
		c.restore(s, beganBefore)
	}
	return c
}

// restore continues from a state; its handles have begun under other prompts.
func (c *changed) restore(s state.Snapshot, reason string) {
	c.prompts(&s.Config.Prompts)
	c.machine = machine.Restore(s)
	for _, h := range s.Handles {
		c.lost[h.ID] = reason
	}
}

// step takes a record and returns what is asked under the other prompts. Where the
// machines part, because a longer prompt has to be compressed, it continues from the
// recorded one.
func (c *changed) step(f engine.Folded) []fsm.AskBrain {
	in := f.Input
	if boot, ok := in.Fact.(fsm.Boot); ok {
		c.prompts(&boot.Config.Prompts)
		in.Fact = boot
	}
	if reload, ok := in.Fact.(fsm.Configured); ok {
		c.prompts(&reload.Config.Prompts)
		in.Fact = reload
	}
	asks := asksOf(engine.Tell(c.machine, in).Caused)
	if c.parted = !together(c.machine.View(), f.Machine.View()); c.parted {
		c.restore(f.Machine.Snapshot(), wentAnother)
	}
	return asks
}

// together reports whether two machines wait for the same, by the same names.
func together(a, b *state.Snapshot) bool {
	return a.LastID == b.LastID && slices.EqualFunc(a.Handles, b.Handles, func(x, y state.Handle) bool {
		return x.ID == y.ID && x.State == y.State && x.Inf.State == y.Inf.State && slices.Equal(x.InFlight(), y.InFlight())
	})
}

// question returns what stands for a question that the last step asked under the
// other prompts, or why nothing does.
func (c *changed) question(asked fsm.AskBrain, asks []fsm.AskBrain) (ask fsm.AskBrain, reason string) {
	same := func(a fsm.AskBrain) bool {
		return a.Call == asked.Call && a.Handle == asked.Handle && a.Purpose == asked.Purpose
	}
	i := slices.IndexFunc(asks, same)
	switch {
	case c.parted:
		return fsm.AskBrain{}, otherWay
	case c.lost[asked.Handle] != "":
		return fsm.AskBrain{}, c.lost[asked.Handle]
	case i < 0:
		return fsm.AskBrain{}, otherWay
	default:
		return asks[i], ""
	}
}
