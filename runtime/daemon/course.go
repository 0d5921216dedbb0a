package daemon

import (
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// course is what the watchers of a request have been told, as far as it is kept for those
// who come later or come back (COM-90).
type course struct {
	items   []item // the latest, oldest first
	whole   bool   // it begins where the request does
	place   int    // of the last item, from 1
	dropped int    // place of the last item that is no longer kept
	record  uint64 // the last record that has told something, and how much
	nth     int
	lost    bool // the last model call ended without an answer: what is streamed next stands in its place
}

// item is an event that was told, or the text of a model call that has answered.
type item struct {
	comm.Event
	recorded bool // a record of the journal tells it again
}

// written is what a model call has streamed so far (COM-60).
type written struct {
	call           fsm.CallID
	text, thinking strings.Builder
	answered       bool
	again          bool // it stands in place of a call that ended without an answer
}

func (w *written) bytes() int { return w.text.Len() + w.thinking.Len() }

// watcher is one listener of a request. Its channel always has room for the reply: less
// important events are dropped when the listener is slow, and what was left out of a text
// comes with its next piece.
type watcher struct {
	events chan comm.Event
	alone  func() bool // nobody need be told of the end of who listens any more; nil: nobody would be

	call           fsm.CallID // the model call of which it has heard last
	text, thinking int        // bytes of it
	replaces       bool       // what it has heard of that call is of no answer
	record         uint64     // of the journal, up to which it has heard what the records tell
	nth            int        // of what that one tells
}

// send tells a watcher something that has its place.
func (w *watcher) send(e comm.Event) {
	if e.At.Call, e.At.Text, e.At.Thinking = w.call, w.text, w.thinking; w.replaces {
		e.At.Place = 0 // who comes back to it has a text that is of no answer, still
	}
	if e.At.Record < w.record { // no record has told anything in this process
		e.At.Record, e.At.Nth = w.record, w.nth
	}
	w.record, w.nth = e.At.Record, e.At.Nth
	w.events <- e
}

// over lets a watcher go. What it listens for may go on, for as long as a connection or the
// daemon: that must not hold the watcher any longer (JRN-35).
func (w *watcher) over() {
	close(w.events)
	if w.alone != nil {
		w.alone()
	}
}

// chunk tells a watcher what it has not heard of a call's text.
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

// course is that of a request. The caller holds mu.
func (h *hub) course(key fsm.RequestKey) *course {
	c := h.history[key]
	if c == nil {
		c = &course{items: h.room}
		h.room = nil
		h.history[key] = c
	}
	return c
}

// at is where the course of a request stands.
func (h *hub) at(c *course) position.Position {
	return position.Position{Epoch: h.epoch, Place: c.place, Record: c.record, Nth: c.nth}
}

// take gives an event its place. One that passes takes that of the last of its kind.
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

// keep adds an item that a watcher who comes later gets.
func (c *course) keep(i item, most int) {
	if last := len(c.items) - 1; passes(i.Type) && last >= 0 && c.items[last].Type == i.Type {
		c.items = c.items[:last] // only the present one is worth telling
	}
	if len(c.items) == most { // the oldest says least of where it stands
		c.dropped = c.items[0].At.Place
		c.items = slices.Delete(c.items, 0, 1)
	}
	c.items = append(c.items, i)
}

// passes reports whether only the present event of a kind is worth telling.
func passes(t comm.EventType) bool { return t == comm.EventQueued || t == comm.EventWaiting }

// covers reports whether all that came after a position is kept.
func (c *course) covers(after position.Position, epoch int) bool {
	if after == (position.Position{}) {
		return c.whole && c.dropped == 0
	}
	return after.Epoch == epoch && after.Place > 0 && after.Place >= c.dropped
}

// rest tells a watcher of what is kept what came after a position. Of a call that has
// answered since it is told the rest of the text.
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

// present tells a watcher what no record tells: where it stands now. Who comes back to it
// after the next is told it again.
func (c *course) present(w *watcher, epoch int) {
	for _, i := range c.items {
		if i.Type != comm.EventChunk && !i.recorded {
			i.At = position.Position{Epoch: epoch}
			w.send(i.Event)
		}
	}
}

// allOfRecord stands for however many events a record tells.
const allOfRecord = 1 << 30

// lostCall stands for a model call that the journal does not know, because the end of it was
// lost with a kill: another call may have its number.
const lostCall = fsm.CallID(1<<62 - 1)
