package script

import "shelly/fsm"

// Hand gives out the lines of scripts, each to one call, in their order.
type Hand struct {
	scripts []Script
	places  []Place // per script
}

// Place is how far calls have come in a list of entries, each of which serves some of them.
type Place struct {
	Index  int // of the entry for the next call; the list's length after the last
	served int // calls that this entry has served
}

// Pass counts a call that the entry has served, of as many as times; 0 means 1.
func (p *Place) Pass(times int) {
	if p.served++; p.served >= max(times, 1) {
		*p = Place{Index: p.Index + 1}
	}
}

// NewHand returns a hand with every line left.
func NewHand(scripts []Script) Hand { return Hand{scripts, make([]Place, len(scripts))} }

// Take gives out the next line for a purpose, the session's own before those for all, or
// nothing (SCN-3).
func (h *Hand) Take(purpose fsm.Purpose, session string) Taken {
	of := h.left(purpose, session)
	if of < 0 {
		of = h.left(purpose, "")
	}
	if of < 0 {
		return Nothing
	}
	place := &h.places[of]
	entry := Taken{of, place.Index}
	place.Pass(h.scripts[of].Lines[entry.Index].Times)
	return entry
}

// left is the first script for a purpose and session that has a line left, or -1.
func (h *Hand) left(purpose fsm.Purpose, session string) int {
	for i := range h.scripts {
		s := &h.scripts[i]
		if s.Purpose == purpose && s.Session == session && h.places[i].Index < len(s.Lines) {
			return i
		}
	}
	return -1
}
