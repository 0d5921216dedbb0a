package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/script"
)

// Chunk is a piece as the client saw it whose request is answered.
type Chunk struct {
	At      fsm.Millis
	Handle  fsm.HandleID
	Call    fsm.CallID
	Request fsm.RequestKey
	Session string
	Purpose fsm.Purpose
	script.Piece
}

// stream puts the pieces of an answer on the agenda and returns how long the
// answer takes until it is complete.
func (w *world) stream(e fsm.AskBrain, line script.Line) fsm.Millis {
	takes := line.Takes
	for i, p := range line.Pieces(e) {
		if i > 0 {
			takes += line.Stream.Every
		}
		w.piece(e, takes, p)
	}
	return takes
}

// piece puts a piece of an answer on the agenda. As in the daemon the pieces of an
// answer alone are told to anybody (BRN-9).
func (w *world) piece(e fsm.AskBrain, after fsm.Millis, p script.Piece) {
	if e.Purpose != fsm.PurposeAnswer {
		return
	}
	at := w.agenda.now + after
	w.agenda.add(due{at: at, call: e.Call, piece: &Chunk{
		At: at, Handle: e.Handle, Call: e.Call, Session: e.Session, Purpose: e.Purpose, Piece: p,
	}})
}

// seen names the request of each piece. Pieces for a handle that nobody watches,
// such as an event's, were seen by nobody.
func (r *Result) seen() {
	r.Chunks = slices.DeleteFunc(r.Chunks, func(c Chunk) bool { return r.requestOf(c.Handle) < 0 })
	for i := range r.Chunks {
		c := &r.Chunks[i]
		c.Request = r.Requests[r.requestOf(c.Handle)].Key
	}
}

// requestOf returns the index of the request that a handle is for, or -1.
func (r *Result) requestOf(handle fsm.HandleID) int {
	return slices.IndexFunc(r.Requests, func(q engine.Request) bool { return q.Handle == handle })
}
