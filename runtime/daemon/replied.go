package daemon

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Replied implements [comm.Front].
func (d *Daemon) Replied(ctx context.Context, r engine.Request) (engine.Request, error) {
	if r.Done {
		return r, nil
	}
	if over := d.hub.awaits(r.Handle, r.Key); over != nil {
		defer d.hub.forsakes(r.Key, over)
		select {
		case <-over:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	now, ok, err := d.o.Journal.Request(r.Key)
	if err != nil || !ok {
		return r, err
	}
	return now, nil
}

// awaits returns what is closed once a request has its reply, or the daemon stops; nil: either
// is so already.
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

// forsakes removes what nobody waits for any more.
func (h *hub) forsakes(key fsm.RequestKey, over chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.replies[key] = slices.DeleteFunc(h.replies[key], func(o chan struct{}) bool { return o == over })
	if len(h.replies[key]) == 0 {
		delete(h.replies, key)
	}
}

// isOver lets those go who wait for a reply. The caller holds mu.
func (h *hub) isOver(key fsm.RequestKey) {
	for _, over := range h.replies[key] {
		close(over)
	}
	delete(h.replies, key)
}
