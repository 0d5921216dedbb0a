package history

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Follow takes the next record in, from Request.Index on, and returns the step that it
// is, if it has to do with the request. Where many requests are followed in one fold
// this keeps nothing of a step but its number.
func (h *History) Follow(f engine.Folded) (Step, bool) {
	before := len(h.Steps)
	h.step(f)
	h.Ended = h.ended(f.Machine)
	if len(h.Steps) == before {
		return Step{}, false
	}
	s := h.Steps[before]
	h.Steps[before] = Step{N: s.N}
	return s, true
}

// Anew is the history without its steps, to follow again from its first record that is kept. Handles
// that came of lost records are known; the others come with theirs.
func (h *History) Anew() *History {
	again := &History{Request: h.Request, Lost: h.Lost}
	switch {
	case h.Lost > 0:
		again.Handles = h.Handles
	case h.Request.Handle != 0:
		again.Handles = []fsm.HandleID{h.Request.Handle}
	}
	return again
}

// Whole is the nth step of a fold, from 1, about whatever it is about.
func Whole(f engine.Folded, n int) Step {
	return Step{
		N: n, Index: f.Index, Epoch: f.Machine.View().Epoch, Handle: f.Concerns, About: true, Input: f.Input,
		Effects: f.Caused, Moves: slices.Clone(f.Moves), Differs: f.Differs(),
		Recorded: f.Effects, Today: fsm.HashEffects(f.Caused),
	}
}
