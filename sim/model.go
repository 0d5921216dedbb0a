package sim

import (
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/sim/script"
)

// Spoken is what a live model has said to a call, and when (SCN-29). The times are
// those that it took for real, so that the deadlines of the machine mean for it what
// they mean in the daemon.
type Spoken struct {
	Answer fsm.Fact    // a BrainAnswered or BrainFailed; its Call is set
	Pieces []LivePiece // in which it came, in order
	Took   fsm.Millis  // until all of it was there
}

// LivePiece is a piece of an answer, After the question.
type LivePiece struct {
	script.Piece
	After fsm.Millis
}

var errNoModel = errors.New("the plan is for a live model, and there is no backend to ask one")

// asksModel reports whether calls for a purpose are the live model's: no script has a
// line for them.
func (p *Plan) asksModel(purpose fsm.Purpose) bool {
	return p.Live && !slices.ContainsFunc(p.Scripts, func(s script.Script) bool { return s.Purpose == purpose && len(s.Lines) > 0 })
}

// model asks the live model. A fault that makes the call slow says how long it takes.
func (w *world) model(e fsm.AskBrain, slow *Fault) error {
	w.result.Asked = append(w.result.Asked, Asked{At: w.agenda.now, Ask: e, Line: script.Nothing, Config: w.config})
	spoken, err := w.backend.Model(e, w.config.Shown(&e))
	if err != nil {
		return err
	}
	takes := spoken.Took
	if slow != nil {
		takes = slow.Line.Takes
	}
	in, whole := spoken.Answer.(fsm.BrainAnswered)
	pieces := make([]script.Piece, len(spoken.Pieces))
	for i, p := range spoken.Pieces {
		pieces[i] = p.Piece
	}
	for i, p := range w.veil(e, pieces, whole && len(in.Calls) == 0) {
		w.piece(e, min(spoken.Pieces[i].After, takes), p)
	}
	w.answer(e.Call, takes, spoken.Answer)
	return nil
}
