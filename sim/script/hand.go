package script

import (
	"strconv"

	"shelly/fsm"
)

// Hand gives out the lines of scripts, each to one call, in their order.
type Hand struct {
	scripts []Script
	calls   []int // per script: so far
}

// NewHand returns a hand with every line left.
func NewHand(scripts []Script) Hand { return Hand{scripts, make([]int, len(scripts))} }

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
	entry := Taken{of, lineAt(h.scripts[of].Lines, h.calls[of])}
	h.calls[of]++
	return entry
}

// left is the first script for a purpose and session that has a line left, or -1.
func (h *Hand) left(purpose fsm.Purpose, session string) int {
	for i, s := range h.scripts {
		if s.Purpose == purpose && s.Session == session && lineAt(s.Lines, h.calls[i]) >= 0 {
			return i
		}
	}
	return -1
}

// Unused names the lines that no call took and that are not optional.
func (h *Hand) Unused() []string {
	var names []string
	for i, s := range h.scripts {
		begun := 0
		for n, l := range s.Lines {
			if begun >= h.calls[i] && !l.Optional {
				name := "the " + string(s.Purpose) + " script's line " + strconv.Itoa(n+1)
				if s.Session != "" {
					name += " for session " + s.Session
				}
				names = append(names, name)
			}
			begun += max(l.Times, 1)
		}
	}
	return names
}
