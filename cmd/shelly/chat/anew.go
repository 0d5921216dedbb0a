package chat

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/session"
)

// newRequests is how many requests of a session, the latest, are looked at for those that started it over.
const newRequests = 100

// anew returns when the session was started over, the earliest first, according to a list of its
// requests. Where /new is said to the model like any other text, what was said has it.
func anew(list []comm.Record, said []session.Archived) (times []fsm.Millis) {
	starts := func(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "/new") }
	if slices.ContainsFunc(said, func(a session.Archived) bool { return starts(a.Message.Text) }) {
		return nil
	}
	for _, r := range list {
		if starts(r.Text) && r.Done && !r.IsError && (r.Kind == "" || r.Kind == fsm.KindUser) {
			times = append(times, r.Replied)
		}
	}
	slices.Sort(times)
	return times
}
