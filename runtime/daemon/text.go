package daemon

import (
	"shelly/fsm"
	"shelly/runtime/comm"
)

// Piece is a part of an answer as it streams in. A note is not a part of the answer: it says in
// words what the answer waits for. Neither is a stage, which comes alone: it is the call's new
// stage.
type Piece struct {
	Text, Thinking, Note string
	Stage                fsm.Stage
}

// writtenOf returns what the model call that answers a request has written; nil: nothing. The
// caller holds mu.
func (h *hub) writtenOf(key fsm.RequestKey) *written {
	for id, so := range h.written { // order-free: at most one is the request's
		if h.requests[id] == key {
			return so
		}
	}
	return nil
}

// wrote adds a piece to what a model call that answers a request has written. The caller holds mu.
func (h *hub) wrote(e fsm.AskBrain, p Piece) *written {
	so := h.written[e.Handle]
	if so == nil || so.call != e.Call {
		c := h.course(h.requests[e.Handle])
		so = &written{call: e.Call, again: c.lost || so != nil && !so.answered}
		c.lost = false
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
	for _, so := range h.written { // order-free: at most one is of the call
		so.answered = so.answered || so.call == call
	}
}

// streams passes on a piece that a model call has streamed. The caller holds mu.
func (h *hub) streams(key fsm.RequestKey, so *written, p Piece) {
	at := h.at(h.course(key))
	for _, w := range h.watchers[key] {
		switch {
		case len(w.events) >= chunkEvents:
		case so.bytes() <= writtenBytes:
			w.chunk(so, comm.Event{ID: key.ID, At: at})
		default: // longer than is kept: a piece that is dropped now is lost to the watcher
			e := comm.Event{Type: comm.EventChunk, ID: key.ID, Purpose: fsm.PurposeAnswer, Call: so.call, Text: p.Text, Thinking: p.Thinking, At: at}
			e.From, e.ThinkingFrom = w.text, w.thinking
			w.text, w.thinking = w.text+len(p.Text), w.thinking+len(p.Thinking)
			w.send(e)
		}
	}
}

// piece passes on streamed text of an answer (BRN-9), but not of a summary, and what an answer
// waits for.
func (h *hub) piece(e fsm.AskBrain, p Piece) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.Note != "" { // BRN-18
		h.notes(e.Handle, p.Note, 0)
		h.tell(e.Handle, comm.Event{Type: comm.EventWaiting, Text: p.Note})
	}
	key, known := h.requests[e.Handle] // a call that was given up may stream on after the reply
	if known && e.Purpose == fsm.PurposeAnswer && p.Text+p.Thinking != "" {
		h.streams(key, h.wrote(e, p), p)
	}
}
