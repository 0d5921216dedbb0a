package sim

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Once names what the world must not see twice, and the invariant that says so: a
// reply, and the start of an attempt of an unsafe tool. A crash may make the machine
// forget it, but not the world.
func Once(e fsm.Effect) (what, invariant string, once bool) {
	switch e := e.(type) {
	case fsm.Reply:
		return "the reply to " + named(e.Request), "INV-1", true
	case fsm.RunTool:
		if !e.Effects.Repeatable() {
			return fmt.Sprintf("attempt %d of %s", e.Attempt, e.Key), "INV-6", true
		}
	}
	return "", "", false
}

// named names a request so that no two have one name.
func named(key fsm.RequestKey) string {
	if key.Principal == "" && key.Channel == "" {
		return key.ID
	}
	return fmt.Sprintf("%s of %q by %q", key.ID, key.Principal, key.Channel)
}

// Twice is the violation of what [Once] has named and the world has seen again.
func Twice(what, invariant string) check.Violation {
	return check.Violation{Invariant: invariant, Text: "the world saw " + what + " twice"}
}

// Witness counts what the world outside has seen of a run, crashes or not, and says
// what it must not have seen (SIM-13): an attempt of a use of an unsafe tool started
// twice, a reply sent twice, or, at rest, a request that was accepted and has no reply
// and waits neither for the next boot nor for a person.
func (r *Result) Witness() []check.Violation {
	var wrong []check.Violation
	seen := map[string]bool{} // only looked up
	again := func(e fsm.Effect) {
		what, invariant, once := Once(e)
		if once && seen[what] {
			wrong = append(wrong, Twice(what, invariant))
		}
		seen[what] = true
	}
	for _, ran := range r.Ran {
		again(ran.Run)
	}
	for _, key := range r.Replied {
		again(fsm.Reply{Request: key})
	}
	for _, q := range r.Requests {
		if !q.Done && !r.waits(q.Handle) {
			wrong = append(wrong, check.Violation{Invariant: "INV-1", Text: fmt.Sprintf("request %s has no reply", q.Key.ID)})
		}
	}
	return wrong
}

// waits reports whether a handle waits for the next boot or for a person at the
// run's end.
func (r *Result) waits(id fsm.HandleID) bool {
	return slices.ContainsFunc(r.Final.Handles, func(h state.Handle) bool {
		return h.ID == id && (h.State == state.Parked || machine.Awaits(&h).Person)
	})
}
