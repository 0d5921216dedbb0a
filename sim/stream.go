package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/reading"
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
	for i, p := range w.veiled(e, line) {
		if i > 0 {
			takes += line.Stream.Every
		}
		w.piece(e, takes, p)
	}
	return takes
}

// veiled is what is shown of each piece of an answer, as the daemon does (BRN-40).
func (w *world) veiled(e fsm.AskBrain, line script.Line) []script.Piece {
	pieces := line.Pieces(e)
	if pieces == nil {
		return nil
	}
	answer, whole := line.Answer(e).(fsm.BrainAnswered)
	return w.veil(e, pieces, whole, answer.AsText)
}

// veil takes from pieces what is not shown. Whole: the answer ends with them, of a model
// without calls of its own if asText.
func (w *world) veil(e fsm.AskBrain, pieces []script.Piece, whole, asText bool) []script.Piece {
	veil := reading.NewVeil(w.config, e.Tools)
	shown := slices.Clone(pieces)
	for i := range shown {
		shown[i].Text = veil.Put(shown[i].Text)
		if whole && i == len(shown)-1 {
			shown[i].Text += veil.End(asText)
		}
	}
	return shown
}

// piece puts a piece of an answer on the agenda. As in the daemon the pieces of an
// answer alone are told to anybody (BRN-9).
func (w *world) piece(e fsm.AskBrain, after fsm.Millis, p script.Piece) {
	if e.Purpose != fsm.PurposeAnswer || p.Text+p.Thinking == "" {
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
	if len(r.Chunks) == 0 {
		return
	}
	of := make(map[fsm.HandleID]fsm.RequestKey, len(r.Requests))
	for _, q := range r.Requests {
		of[q.Handle] = q.Key
	}
	r.Chunks = slices.DeleteFunc(r.Chunks, func(c Chunk) bool {
		_, watched := of[c.Handle]
		return !watched
	})
	for i := range r.Chunks {
		r.Chunks[i].Request = of[r.Chunks[i].Handle]
	}
}
