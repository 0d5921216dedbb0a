package daemon

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// listener is notified of messages to a chat, to any chat of a channel, or to any chat.
type listener struct {
	to   fsm.Origin
	news chan struct{} // of capacity 1: it only means that there is something to read
}

// listen adds a listener. It is notified at once of what is there already.
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

// sent notifies the listeners of a message to a chat.
func (h *hub) sent(to fsm.Origin) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.ears {
		if !(engine.Message{SendMessage: fsm.SendMessage{To: to}}).IsTo(l.to) {
			continue
		}
		select {
		case l.news <- struct{}{}:
		default: // it has not taken the last notification yet
		}
	}
}
