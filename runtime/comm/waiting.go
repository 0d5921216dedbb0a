package comm

import (
	"fmt"
	"strings"

	"shelly/fsm"
)

const again = "trying again in "

// Again says in how many seconds something is tried again.
func Again(in fsm.Millis) string {
	return fmt.Sprintf("%s%d s", again, max((in+fsm.Second-1)/fsm.Second, 1))
}

// Waits returns what an answer waits for at a time: the seconds until the model is asked again, which
// text says as [Again] does, are those that are left (COM-29). At 0 it is not known when that is.
func Waits(text string, at, now fsm.Millis) string {
	i := strings.LastIndex(text, again)
	if at == 0 || i < 0 {
		return text
	}
	_, rest, _ := strings.Cut(text[i+len(again):], " s")
	if at <= now {
		return text[:i] + "trying again now" + rest
	}
	return text[:i] + Again(at-now) + rest
}
