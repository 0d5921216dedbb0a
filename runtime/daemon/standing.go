package daemon

import (
	"cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// working is when a handle's work began, and what its answer waits for.
type working struct {
	since fsm.Millis
	note  string
	again fsm.Millis // when the model is asked again, in how many seconds note says; 0: it does not
}

// notes notes what the answer of a handle waits for, and until when. The caller holds mu.
func (h *hub) notes(id fsm.HandleID, text string, again fsm.Millis) {
	w := h.work[id]
	w.note, w.again = text, again
	h.work[id] = w
}

// begun notes a handle's transition: when its work began, and that it no longer waits for
// anything.
func (h *hub) begun(m state.Move, now fsm.Millis) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m.To {
	case state.Done, state.Failed, state.Cancelled, state.Queued, state.Idling, state.Parked:
		delete(h.work, m.Handle)
	default:
		w := h.work[m.Handle]
		h.work[m.Handle] = working{since: cmp.Or(w.since, now)}
	}
}

// standing returns when a handle's work began, and what its answer waits for.
func (h *hub) standing(id fsm.HandleID) (since fsm.Millis, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.work[id]
	return w.since, w.note
}

// waiting returns what the answer of a handle waits for at a time, and when its work began.
func (h *hub) waiting(id fsm.HandleID, now fsm.Millis) (since fsm.Millis, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.work[id]
	return w.since, comm.Waits(w.note, w.again, now)
}
