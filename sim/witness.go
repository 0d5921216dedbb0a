package sim

import (
	"fmt"

	"shelly/fsm"
)

// onceOnly names what the world must not see twice, and the invariant that says so: a
// reply, and the start of an attempt of an unsafe tool. A crash may make the machine
// forget it, but not the world.
func onceOnly(e fsm.Effect) (what, invariant string, once bool) {
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

func seenAgain(what, invariant string) fsm.Violation {
	return fsm.Violation{Invariant: invariant, Text: "the world saw " + what + " twice"}
}
