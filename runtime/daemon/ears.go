package daemon

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// listener hears that there are messages to a channel, to one chat of it, or to any.
type listener struct {
	to   fsm.Origin
	news chan struct{} // of one place: what it stands for is read elsewhere
}

// listen adds a listener. What is there already is news to it.
func (h *hub) listen(to fsm.Origin) *listener {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := &listener{to: to, news: make(chan struct{}, 1)}
	l.news <- struct{}{}
	if h.closed {
		close(l.news)
		return l
	}
	h.ears = append(h.ears, l)
	return l
}

// deafen removes a listener.
func (h *hub) deafen(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.ears, l); i >= 0 {
		h.ears = slices.Delete(h.ears, i, i+1)
		close(l.news)
	}
}

// sent tells that there is a message to a chat.
func (h *hub) sent(to fsm.Origin) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.ears {
		if !(engine.Message{SendMessage: fsm.SendMessage{To: to}}).IsTo(l.to) {
			continue
		}
		select {
		case l.news <- struct{}{}:
		default: // it has not read the last news yet
		}
	}
}
