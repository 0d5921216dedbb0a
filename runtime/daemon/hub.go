package daemon

import (
	"sync"

	"shelly/fsm"
	"shelly/runtime/comm"
)

// hub sends a request's events to its watchers (COM-4).
type hub struct {
	mu        sync.Mutex
	requests  map[fsm.HandleID]fsm.RequestKey // of unfinished user handles
	tools     map[fsm.CallID]startedTool
	watchers  map[fsm.RequestKey][]*watcher
	replies   map[fsm.RequestKey][]chan struct{} // of those that wait only for the reply
	history   map[fsm.RequestKey]*course         // of unfinished and the latest finished requests, without output
	finished  []fsm.RequestKey                   // the finished requests that have a history, oldest first
	room      []item                             // memory of a dropped history, for the next one
	subagents map[fsm.HandleID]subagent          // that have begun and not ended
	previews  map[fsm.HandleID]preview           // what the calls that wait for approval would do
	decided   []comm.Decided                     // how the latest questions to a person have ended, oldest first
	ears      []*listener
	work      map[fsm.HandleID]working  // of handles that were begun
	written   map[fsm.HandleID]*written // of the requests that a model answers
	closed    bool
	epoch     int    // boots so far
	record    uint64 // of the journal, that produces the present events; 0: none does
	most      int    // items of a course that are kept
}

const (
	watcherEvents = 256
	chunkEvents   = watcherEvents / 2 // chunks, and events that pass, take at most this many places
	historyEvents = watcherEvents / 4 // the latest events, kept for a watcher that comes later
	finishedMax   = 32                // finished requests whose history is kept: a quick one may end before its client watches
	labelBytes    = 200               // of a subagent's name
	excerptBytes  = 2000              // of a tool's result shown to a watcher
	writtenBytes  = 1 << 20           // of an unfinished answer kept for a watcher that comes later; a longer one is not kept
	answeredBytes = 64 << 10          // of a finished answer kept; a longer one is not kept
)

func newHub() *hub {
	return &hub{
		requests:  map[fsm.HandleID]fsm.RequestKey{},
		tools:     map[fsm.CallID]startedTool{},
		watchers:  map[fsm.RequestKey][]*watcher{},
		replies:   map[fsm.RequestKey][]chan struct{}{},
		history:   map[fsm.RequestKey]*course{},
		most:      historyEvents,
		previews:  map[fsm.HandleID]preview{},
		subagents: map[fsm.HandleID]subagent{},
		work:      map[fsm.HandleID]working{},
		written:   map[fsm.HandleID]*written{},
	}
}

// begins is know for a new request: its course begins here.
func (h *hub) begins(id fsm.HandleID, key fsm.RequestKey) {
	h.know(id, key)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.course(key).whole = true
}

// telling sets the journal's record, and its epoch, to which the following events belong; 0:
// none.
func (h *hub) telling(record uint64, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record, h.epoch = record, epoch
}

// know connects a user's handle with its request.
func (h *hub) know(id fsm.HandleID, key fsm.RequestKey) {
	if key == (fsm.RequestKey{}) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[id] = key
}

// ends ends the text that a handle's model call has streamed: the watchers get the rest of it,
// and the text of a call that has answered is kept. The caller holds mu.
func (h *hub) ends(id fsm.HandleID) {
	so, key := h.written[id], h.requests[id]
	delete(h.written, id)
	if so == nil || key == (fsm.RequestKey{}) {
		return
	}
	c := h.course(key)
	for _, w := range h.watchers[key] {
		if len(w.events) < watcherEvents-1 && so.bytes() <= writtenBytes {
			w.chunk(so, comm.Event{ID: key.ID, At: h.at(c)})
		}
	}
	c.lost = !so.answered
	if so.answered && so.bytes() <= answeredBytes {
		c.place++
		c.keep(item{Event: comm.Event{
			Type: comm.EventChunk, ID: key.ID, Call: so.call, Text: so.text.String(), Thinking: so.thinking.String(), Whole: so.again, At: h.at(c),
		}}, h.most)
	}
}

// forgets drops the tools that ran when the previous process was killed.
func (h *hub) forgets() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.tools)
}

// era returns the present epoch.
func (h *hub) era() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.epoch
}

// reply sends the reply and ends the request's watchers.
func (h *hub) reply(e fsm.Reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends(e.Handle)
	for _, w := range h.watchers[e.Request] {
		w.send(h.now(e.Request, comm.Event{Type: comm.EventReply, ID: e.Request.ID, Text: e.Text, IsError: e.IsError, Outcome: e.Outcome}))
		w.over()
	}
	delete(h.watchers, e.Request)
	h.isOver(e.Request)
	delete(h.requests, e.Handle)
	if _, ok := h.history[e.Request]; ok {
		h.finished = append(h.finished, e.Request)
	}
	if len(h.finished) > finishedMax {
		if old := h.history[h.finished[0]]; old != nil {
			clear(old.items)
			h.room = old.items[:0]
		}
		delete(h.history, h.finished[0])
		h.finished = h.finished[1:]
	}
}

// close ends all watchers.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for key, list := range h.watchers { // order-free: each channel is only closed
		for _, w := range list {
			w.over()
		}
		delete(h.watchers, key)
	}
	for key := range h.replies { // order-free: each is only closed
		h.isOver(key)
	}
	for _, l := range h.ears {
		close(l.news)
	}
	h.ears = nil
}
