package daemon

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// course is the events sent to a request's watchers, as far as they are kept for watchers
// that come later or come back (COM-90).
type course struct {
	items   []item // the latest, oldest first
	whole   bool   // it begins at the request's beginning
	place   int    // of the last item, from 1
	dropped int    // place of the last item that is no longer kept
	record  uint64 // the last record that had events, and how many
	nth     int
	lost    bool // the last model call ended without an answer: what is streamed next replaces it
}

// item is an event that was sent, or the text of a model call that has answered.
type item struct {
	comm.Event
	recorded bool // it can be repeated from a record of the journal
}

// written is what a model call has streamed so far (COM-60).
type written struct {
	call           fsm.CallID
	text, thinking strings.Builder
	answered       bool
	again          bool // it replaces a call that ended without an answer
}

func (w *written) bytes() int { return w.text.Len() + w.thinking.Len() }

// watcher is one listener of a request. Its channel always has room for the reply: less
// important events are dropped if the listener is slow, and what was left out of a text
// comes with its next piece.
type watcher struct {
	events chan comm.Event
	alone  func() bool // stops waiting for the end of the listener's context; nil: nothing waits

	call           fsm.CallID // the model call whose text it got last
	text, thinking int        // bytes that it got of that call
	replaces       bool       // that text does not belong to an answer
	record         uint64     // the journal's record whose events it got last
	nth            int        // the number of the last of them
}

// send sends a watcher an event that has its place.
func (w *watcher) send(e comm.Event) {
	if e.At.Call, e.At.Text, e.At.Thinking = w.call, w.text, w.thinking; w.replaces {
		e.At.Place = 0 // a watcher that comes back here still has a text that does not belong to an answer
	}
	if e.At.Record < w.record { // no record has had events in this process
		e.At.Record, e.At.Nth = w.record, w.nth
	}
	w.record, w.nth = e.At.Record, e.At.Nth
	w.events <- e
}

// over ends a watcher. Its context may live as long as a connection or the daemon, and must not
// keep the watcher in memory any longer (JRN-35).
func (w *watcher) over() {
	close(w.events)
	if w.alone != nil {
		w.alone()
	}
}

// chunk sends a watcher the part of a call's text that it does not have.
func (w *watcher) chunk(so *written, e comm.Event) {
	if w.call != so.call {
		e.Whole = so.again || w.replaces
		w.call, w.text, w.thinking = so.call, 0, 0
	}
	w.replaces = false
	e.Type, e.Purpose, e.Call = comm.EventChunk, fsm.PurposeAnswer, so.call
	e.From, e.ThinkingFrom = min(w.text, so.text.Len()), min(w.thinking, so.thinking.Len())
	e.Text, e.Thinking = so.text.String()[e.From:], so.thinking.String()[e.ThinkingFrom:]
	if e.Text+e.Thinking == "" {
		return
	}
	w.text, w.thinking = so.text.Len(), so.thinking.Len()
	w.send(e)
}

// course returns the course of a request. The caller holds mu.
func (h *hub) course(key fsm.RequestKey) *course {
	c := h.history[key]
	if c == nil {
		c = &course{items: h.room}
		h.room = nil
		h.history[key] = c
	}
	return c
}

// at returns the position at the end of a course.
func (h *hub) at(c *course) position.Position {
	return position.Position{Epoch: h.epoch, Place: c.place, Record: c.record, Nth: c.nth}
}

// take gives an event its place.
func (h *hub) take(c *course, e comm.Event) comm.Event {
	c.place++
	if h.record != 0 {
		if c.record != h.record {
			c.record, c.nth = h.record, 0
		}
		c.nth++
	}
	e.At = h.at(c)
	return e
}

// keep adds an item for watchers that come later.
func (c *course) keep(i item, most int) {
	if last := len(c.items) - 1; passes(i.Type) && last >= 0 && c.items[last].Type == i.Type {
		c.items = c.items[:last] // only the latest is worth sending
	}
	if len(c.items) == most { // the oldest says least about the present state
		c.dropped = c.items[0].At.Place
		c.items = slices.Delete(c.items, 0, 1)
	}
	c.items = append(c.items, i)
}

// passes reports whether only the latest event of a type is worth sending.
func passes(t comm.EventType) bool { return t == comm.EventQueued || t == comm.EventWaiting }

// covers reports whether everything after a position is kept.
func (c *course) covers(after position.Position, epoch int) bool {
	if after == (position.Position{}) {
		return c.whole && c.dropped == 0
	}
	return after.Epoch == epoch && after.Place > 0 && after.Place >= c.dropped
}

// rest sends a watcher the kept items after a position. For a call that has answered since, it
// sends the rest of the text.
func (c *course) rest(w *watcher, after position.Position) {
	w.call, w.text, w.thinking, w.record, w.nth = after.Call, after.Text, after.Thinking, after.Record, after.Nth
	for _, i := range c.items {
		switch {
		case i.Type != comm.EventChunk && i.At.Place > after.Place:
			w.send(i.Event)
		case i.Type == comm.EventChunk && (i.At.Place > after.Place || i.Call == after.Call):
			so := &written{call: i.Call, again: i.Whole}
			so.text.WriteString(i.Text)
			so.thinking.WriteString(i.Thinking)
			w.chunk(so, comm.Event{ID: i.ID, At: i.At})
		}
	}
}

// present sends a watcher the items that no record can repeat, which say how things are now. A
// watcher that comes back later gets them again.
func (c *course) present(w *watcher, epoch int) {
	for _, i := range c.items {
		if i.Type != comm.EventChunk && !i.recorded {
			i.At = position.Position{Epoch: epoch}
			w.send(i.Event)
		}
	}
}

// allOfRecord stands for all the events of a record, however many.
const allOfRecord = 1 << 30

// lostCall stands for a model call that the journal does not know because a kill lost the
// journal's end: another call may have its number.
const lostCall = fsm.CallID(1<<62 - 1)
