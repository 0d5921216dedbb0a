package daemon

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// watch adds a watcher, which first gets what it has missed; if nothing of that is kept, or the
// request is over, it gets now. Last is the index of the last record.
func (h *hub) watch(key fsm.RequestKey, now comm.Event, last uint64) *watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	w, told := &watcher{events: make(chan comm.Event, watcherEvents)}, false
	if c := h.history[key]; c != nil {
		for _, i := range c.items {
			if i.Type != comm.EventChunk {
				w.send(i.Event)
				told = true
			}
		}
	}
	w.record, w.nth = last, allOfRecord
	if !told || now.Type == comm.EventReply {
		w.send(h.now(key, now))
	}
	h.soFar(key, w, now)
	h.add(key, w, now)
	return w
}

// watchFrom adds a watcher that has the events up to a position. If the events after it are not
// kept, missed is true: they must be read from the journal, and come before the events that the
// watcher gets here.
func (h *hub) watchFrom(key fsm.RequestKey, now comm.Event, after position.Position, last uint64) (w *watcher, missed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w = &watcher{events: make(chan comm.Event, watcherEvents)}
	c := h.history[key]
	if c != nil && c.covers(after, h.epoch) {
		c.rest(w, after)
		if so := h.writtenOf(key); so != nil && so.bytes() <= writtenBytes {
			w.chunk(so, comm.Event{ID: key.ID, At: h.at(c)})
		}
	} else {
		missed = true
		w.call, w.text, w.thinking, w.replaces, w.record, w.nth = after.Call, after.Text, after.Thinking, true, last, allOfRecord
		if after.Epoch != h.epoch && after.Call != 0 { // its number may belong to another call now
			w.call, w.text, w.thinking = lostCall, 0, 0
		}
		if c != nil && now.Type != comm.EventReply {
			c.present(w, h.epoch)
		}
		h.soFar(key, w, now)
	}
	if now.Type == comm.EventReply {
		w.send(h.now(key, now))
	}
	h.add(key, w, now)
	return w, missed
}

// now returns an event with a request's present state, at its place.
func (h *hub) now(key fsm.RequestKey, now comm.Event) comm.Event {
	if c := h.history[key]; c != nil {
		now.At = h.at(c)
	}
	return now
}

// add adds a watcher for what comes; if nothing will, it ends the watcher. The caller holds mu.
func (h *hub) add(key fsm.RequestKey, w *watcher, now comm.Event) {
	if h.closed || now.Type == comm.EventReply {
		close(w.events)
		return
	}
	h.watchers[key] = append(h.watchers[key], w)
}

// soFar sends a watcher what the model call that answers a request has written so far, in place
// of what it may have got of it. The caller holds mu.
func (h *hub) soFar(key fsm.RequestKey, w *watcher, now comm.Event) {
	so := h.writtenOf(key)
	if so == nil || so.bytes() > writtenBytes || now.Type == comm.EventReply {
		return
	}
	w.replaces = true
	w.chunk(so, comm.Event{ID: key.ID, At: h.at(h.course(key))})
}

// until ends a watcher when ctx ends, unless it has ended before.
func (h *hub) until(ctx context.Context, key fsm.RequestKey, w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.watchers[key], w) {
		w.alone = context.AfterFunc(ctx, func() { h.leave(key, w) })
	}
}

// leave removes a watcher that no longer listens.
func (h *hub) leave(key fsm.RequestKey, w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.watchers[key]
	if i := slices.Index(list, w); i >= 0 {
		h.watchers[key] = slices.Delete(list, i, i+1)
		w.over()
	}
	if len(h.watchers[key]) == 0 {
		delete(h.watchers, key)
	}
}

// tell sends an event to a handle's watchers. The caller holds mu.
func (h *hub) tell(id fsm.HandleID, e comm.Event) {
	key, ok := h.requests[id]
	if !ok {
		return
	}
	e.ID = key.ID
	c, places := h.course(key), watcherEvents-1
	if e.Type == comm.EventOutput || passes(e.Type) { // some of these may be left out
		places = chunkEvents
	}
	if e.Type == comm.EventOutput {
		e.At = h.at(c)
	} else {
		e = h.take(c, e)
		c.keep(item{e, h.record != 0}, h.most)
	}
	for _, w := range h.watchers[key] {
		if len(w.events) < places {
			w.send(e)
		}
	}
}

// awaits returns a channel that is closed once a request has its reply or the daemon stops; nil
// if either has happened already.
func (h *hub) awaits(id fsm.HandleID, key fsm.RequestKey) (over chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.requests[id] != key {
		return nil
	}
	over = make(chan struct{})
	h.replies[key] = append(h.replies[key], over)
	return over
}

// forsakes removes a channel of awaits that nobody waits for any more.
func (h *hub) forsakes(key fsm.RequestKey, over chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replies[key] = slices.DeleteFunc(h.replies[key], func(o chan struct{}) bool { return o == over })
	if len(h.replies[key]) == 0 {
		delete(h.replies, key)
	}
}

// isOver wakes those that wait for a reply. The caller holds mu.
func (h *hub) isOver(key fsm.RequestKey) {
	for _, over := range h.replies[key] {
		close(over)
	}
	delete(h.replies, key)
}
