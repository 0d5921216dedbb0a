package fsm

import "slices"

// Barrier reports whether a step, of an input with these effects, must be durable, with
// all that came before, before any of the effects is performed (JRN-4):
// the world can see that a request was accepted, that an unsafe tool has started, that
// a reply was given, and that the epoch began or ended. What lies between two barriers
// may be lost in a crash and is then done again. The machine knows of one more: what an
// unsafe tool has answered.
func Barrier(in Input, effects []Effect) bool {
	if slices.ContainsFunc(effects, barrier) {
		return true
	}
	switch facts[kindOf(in.Fact)].barrier {
	case always:
		return true
	case ifEffective:
		return len(effects) > 0
	default:
		return false
	}
}

func barrier(e Effect) bool { return effects[e.kind()].barrier(e) }
