package daemon

import (
	"cmp"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// hub tells whoever watches a request what happens to it (COM-4).
type hub struct {
	mu       sync.Mutex
	requests map[fsm.HandleID]fsm.RequestKey // of unfinished user handles
	tools    map[fsm.CallID]startedTool
	watchers map[fsm.RequestKey][]*watcher
	history  map[fsm.RequestKey]*course // of unfinished and the latest finished requests, output left out
	finished []fsm.RequestKey           // those of the latest that have a history, oldest first
	previews map[fsm.HandleID]string    // of those that wait for approval, what their calls would do
	ears     []*listener
	work     map[fsm.HandleID]working  // of handles that were begun
	written  map[fsm.HandleID]*written // of the requests that a model answers
	closed   bool
	epoch    int    // boots so far
	record   uint64 // of the journal, that tells what is told now; 0: none does
	most     int    // items of a course that are kept
}

// listener hears that there are messages to a channel, to one chat of it, or to any.
type listener struct {
	to   fsm.Origin
	news chan struct{} // of one place: what it stands for is read elsewhere
}

// working is since when a handle is at work, and what its answer waits for.
type working struct {
	since fsm.Millis
	note  string
}

// Piece is a part of an answer as it streams in. A note is no part of it: it says in
// words what the answer waits for.
// A stage is none either, and comes alone: it is what the call has come to.
type Piece struct {
	Text, Thinking, Note string
	Stage                fsm.Stage
}

type startedTool struct {
	handle fsm.HandleID
	name   string
	args   string
	beside bool // others of the same handle ran at the same time
}

const (
	watcherEvents = 256
	chunkEvents   = watcherEvents / 2 // chunks take at most this many places
	historyEvents = watcherEvents / 4 // the latest, told to a watcher that comes later
	finishedMax   = 32                // finished requests whose history is kept: a quick one may end before its client watches
	excerptBytes  = 2000              // of a tool's result shown to a watcher
	writtenBytes  = 1 << 20           // of an answer that is kept for a watcher who comes later; of a longer one nothing is
	answeredBytes = 64 << 10          // of an answer that is over, likewise
)

func newHub() *hub {
	return &hub{
		requests: map[fsm.HandleID]fsm.RequestKey{},
		tools:    map[fsm.CallID]startedTool{},
		watchers: map[fsm.RequestKey][]*watcher{},
		history:  map[fsm.RequestKey]*course{},
		most:     historyEvents,
		previews: map[fsm.HandleID]string{},
		work:     map[fsm.HandleID]working{},
		written:  map[fsm.HandleID]*written{},
	}
}

// begins is know for a request that has just come: its course begins here.
func (h *hub) begins(id fsm.HandleID, key fsm.RequestKey) {
	h.know(id, key)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.course(key).whole = true
}

// telling says of which record of the journal, in which epoch, is told what follows; 0: of
// none.
func (h *hub) telling(record uint64, epoch int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.record, h.epoch = record, epoch
}

// know ties a user's handle to its request.
func (h *hub) know(id fsm.HandleID, key fsm.RequestKey) {
	if key == (fsm.RequestKey{}) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[id] = key
}

// watch adds a watcher that first hears what it has missed, and where nothing is
// known of that, or all is over, now. Last is the last record there is.
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

// watchFrom adds a watcher that has heard what happened up to a position. Where what came
// after it is not kept, missed is true: that is to be found in the journal, and what comes
// before what the watcher hears here.
func (h *hub) watchFrom(key fsm.RequestKey, now comm.Event, after position.Position, last uint64) (w *watcher, missed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w = &watcher{events: make(chan comm.Event, watcherEvents)}
	c := h.history[key]
	switch {
	case c != nil && c.covers(after, h.epoch):
		c.rest(w, after)
		if so := h.writtenOf(key); so != nil && so.bytes() <= writtenBytes {
			w.chunk(so, comm.Event{ID: key.ID, At: h.at(c)})
		}
	default:
		missed = true
		w.call, w.text, w.thinking, w.replaces, w.record, w.nth = after.Call, after.Text, after.Thinking, true, last, allOfRecord
		if after.Epoch != h.epoch && after.Call != 0 { // what has its number now is another
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

// now is an event that says where a request stands, at its place.
func (h *hub) now(key fsm.RequestKey, now comm.Event) comm.Event {
	if c := h.history[key]; c != nil {
		now.At = h.at(c)
	}
	return now
}

// add lets a watcher hear what comes, if anything will. The caller holds mu.
func (h *hub) add(key fsm.RequestKey, w *watcher, now comm.Event) {
	if h.closed || now.Type == comm.EventReply {
		close(w.events)
		return
	}
	h.watchers[key] = append(h.watchers[key], w)
}

// soFar tells a watcher what the model that answers a request has written, if it has, in
// place of what it may have heard of it. The caller holds mu.
func (h *hub) soFar(key fsm.RequestKey, w *watcher, now comm.Event) {
	so := h.writtenOf(key)
	if so == nil || so.bytes() > writtenBytes || now.Type == comm.EventReply {
		return
	}
	w.replaces = true
	w.chunk(so, comm.Event{ID: key.ID, At: h.at(h.course(key))})
}

// writtenOf is what the model that answers a request has written; nil: nothing. The caller
// holds mu.
func (h *hub) writtenOf(key fsm.RequestKey) *written {
	for id, so := range h.written { // order-free: at most one is the request's
		if h.requests[id] == key {
			return so
		}
	}
	return nil
}

// wrote adds to that. The caller holds mu.
func (h *hub) wrote(e fsm.AskBrain, p Piece) *written {
	so := h.written[e.Handle]
	if so == nil || so.call != e.Call {
		before := so
		so = &written{call: e.Call}
		if key, known := h.requests[e.Handle]; known {
			c := h.course(key)
			so.again = c.lost || before != nil && !before.answered
			c.lost = false
		}
		h.written[e.Handle] = so
	}
	if so.bytes() <= writtenBytes {
		so.text.WriteString(p.Text)
		so.thinking.WriteString(p.Thinking)
	}
	return so
}

// answers notes that a model call has answered.
func (h *hub) answers(call fsm.CallID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, so := range h.written { // order-free: calls are told apart
		so.answered = so.answered || so.call == call
	}
}

// ends takes what a handle's model call has streamed from what is being written: the
// watchers hear the end of it, and one that has answered is kept. The caller holds mu.
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

// leave removes a watcher that listens no more.
func (h *hub) leave(key fsm.RequestKey, w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.watchers[key]
	for i := range list {
		if list[i] == w {
			h.watchers[key] = append(list[:i:i], list[i+1:]...)
			close(w.events)
			break
		}
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
	if e.Type == comm.EventOutput { // of which parts may be missing
		places, e.At = chunkEvents, h.at(c)
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

// streams passes on what a model call has streamed. The caller holds mu.
func (h *hub) streams(id fsm.HandleID, so *written, p Piece) {
	key, known := h.requests[id]
	if !known {
		return
	}
	at := h.at(h.course(key))
	for _, w := range h.watchers[key] {
		switch {
		case len(w.events) >= chunkEvents:
		case so.bytes() <= writtenBytes:
			w.chunk(so, comm.Event{ID: key.ID, At: at})
		default: // more than is kept: what it does not hear now it never does
			e := comm.Event{Type: comm.EventChunk, ID: key.ID, Purpose: fsm.PurposeAnswer, Call: so.call, Text: p.Text, Thinking: p.Thinking, At: at}
			e.From, e.ThinkingFrom = w.text, w.thinking
			w.text, w.thinking = w.text+len(p.Text), w.thinking+len(p.Thinking)
			w.send(e)
		}
	}
}

// piece passes on streamed text of an answer (BRN-9), a summary's being nobody's
// business, and what an answer waits for.
func (h *hub) piece(e fsm.AskBrain, p Piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.Note != "" { // BRN-18
		h.notes(e.Handle, p.Note)
		h.tell(e.Handle, comm.Event{Type: comm.EventWaiting, Text: p.Note})
	}
	if e.Purpose == fsm.PurposeAnswer && p.Text+p.Thinking != "" {
		h.streams(e.Handle, h.wrote(e, p), p)
	}
}

// notes remembers what the answer of a handle waits for. The caller holds mu.
func (h *hub) notes(id fsm.HandleID, text string) {
	w := h.work[id]
	w.note = text
	h.work[id] = w
}

// begun notes at which time a handle moves: since when it is at work, and that it waits for
// nothing any more.
func (h *hub) begun(m state.Move, now fsm.Millis) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch m.To {
	case state.Done, state.Failed, state.Cancelled, state.Queued, state.Parked:
		delete(h.work, m.Handle)
	default:
		w := h.work[m.Handle]
		h.work[m.Handle] = working{since: cmp.Or(w.since, now)}
	}
}

// standing tells since when a handle is at work, and what its answer waits for.
func (h *hub) standing(id fsm.HandleID) (since fsm.Millis, note string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := h.work[id]
	return w.since, w.note
}

// moved passes on a transition, with the name that the profile has for it (INF-28).
func (h *hub) moved(m state.Move, c *fsm.Config) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := comm.Event{Type: comm.EventState, State: m.To}
	if m.Table == state.InferenceTable.Name {
		e.State, e.Inference, e.Label = "", m.To, c.Label(m.To)
	}
	if m.Table != state.InferenceTable.Name && m.To != state.Approving {
		delete(h.previews, m.Handle)
	}
	if m.Table != state.InferenceTable.Name || m.To != state.Thinking { // the call is answered
		h.ends(m.Handle)
	}
	h.tell(m.Handle, e)
}

func (h *hub) toolStarted(e fsm.RunTool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	started := startedTool{handle: e.Handle, name: e.Name, args: e.Args}
	for call, other := range h.tools {
		if other.handle == e.Handle { // INF-45
			started.beside, other.beside = true, true
			h.tools[call] = other
		}
	}
	h.tools[e.Call] = started
	h.tell(e.Handle, comm.Event{Type: comm.EventTool, Tool: e.Name, Args: e.Args})
}

// answered tells of a builtin tool, which the machine answers itself: its start and
// its result are one step.
func (h *hub) answered(e fsm.Audit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(e.Handle, comm.Event{Type: comm.EventTool, Tool: e.Tool, Args: e.Args})
	h.tell(e.Handle, comm.Event{Type: comm.EventToolResult, Tool: e.Tool, Text: wording.Clip(e.Result, excerptBytes), Failed: e.Failed})
}

// tells the result of a call that an earlier process has started, where nobody has seen its end.
func (h *hub) tells(e fsm.Audit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(e.Handle, comm.Event{Type: comm.EventToolResult, Tool: e.Tool, Text: wording.Clip(e.Result, excerptBytes), Failed: e.Failed})
}

// forgets the tools that ran when the process before was killed.
func (h *hub) forgets() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.tools)
}

// era is the present epoch.
func (h *hub) era() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.epoch
}

// output passes on what a command writes while it runs (TOL-50).
func (h *hub) output(call fsm.CallID, part string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.tools[call]; ok {
		h.tell(t.handle, comm.Event{Type: comm.EventOutput, Tool: t.name, Text: part})
	}
}

func (h *hub) toolEnded(call fsm.CallID, text string, failed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tools[call]
	if !ok {
		return
	}
	delete(h.tools, call)
	ended := comm.Event{Type: comm.EventToolResult, Tool: t.name, Text: wording.Clip(text, excerptBytes), Failed: failed}
	if t.beside { // INF-45
		ended.Args = t.args
	}
	h.tell(t.handle, ended)
}

func (h *hub) notify(e fsm.Notify) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Notice {
	case fsm.NoticeDeferred:
		h.tell(e.Handle, comm.Event{Type: comm.EventDeferred})
	case fsm.NoticeQueued:
		h.tell(e.Handle, comm.Event{Type: comm.EventQueued, Ahead: e.Ahead})
	case fsm.NoticeHeld:
		h.tell(e.Handle, comm.Event{Type: comm.EventHeld})
	}
}

// question passes on what a person is asked about a request.
func (h *hub) question(e comm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, waits := h.previews[e.Handle]; waits {
		h.previews[e.Handle] = e.Preview
	}
	h.tell(e.Handle, e)
}

// asked says that a question is asked, of which the preview is still to come.
func (h *hub) asked(id fsm.HandleID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.previews[id] = ""
}

// preview adds to a question what the call would do, as long as it waits (APR-21).
func (h *hub) preview(a *comm.Ask) {
	if a != nil && a.Question == fsm.QuestionApprove {
		h.mu.Lock()
		defer h.mu.Unlock()
		a.Preview = h.previews[a.Handle]
	}
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

// reply sends the reply and lets the request's watchers go.
func (h *hub) reply(e fsm.Reply) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends(e.Handle)
	for _, w := range h.watchers[e.Request] {
		w.send(h.now(e.Request, comm.Event{Type: comm.EventReply, ID: e.Request.ID, Text: e.Text, IsError: e.IsError, Outcome: e.Outcome}))
		close(w.events)
	}
	delete(h.watchers, e.Request)
	delete(h.requests, e.Handle)
	if _, ok := h.history[e.Request]; ok {
		h.finished = append(h.finished, e.Request)
	}
	if len(h.finished) > finishedMax {
		delete(h.history, h.finished[0])
		h.finished = h.finished[1:]
	}
}

// close lets all watchers go.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for key, list := range h.watchers { // order-free: each channel is only closed
		for _, w := range list {
			close(w.events)
		}
		delete(h.watchers, key)
	}
	for _, l := range h.ears {
		close(l.news)
	}
	h.ears = nil
}
