package sim

import (
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/sim/script"
)

// Spoken is a live model's answer to a call, with its times (SCN-29). The times are real, so
// the machine's deadlines mean the same as in the daemon.
type Spoken struct {
	Answer fsm.Fact    // a BrainAnswered or BrainFailed; its Call is set
	Pieces []LivePiece // the pieces of the answer, in order
	Took   fsm.Millis  // until the answer was complete
}

// LivePiece is a piece of an answer; After is its time since the question.
type LivePiece struct {
	script.Piece
	After fsm.Millis
}

var errNoModel = errors.New("the plan is for a live model, and there is no backend to ask one")

// asksModel reports whether calls for a purpose go to the live model because no script has a
// line for them.
func (p *Plan) asksModel(purpose fsm.Purpose) bool {
	return p.Live && !slices.ContainsFunc(p.Scripts, func(s script.Script) bool { return s.Purpose == purpose && len(s.Lines) > 0 })
}

// model asks the live model. A fault that makes the call slow says how long it takes.
func (w *world) model(e fsm.AskBrain, slow *Fault) error {
	w.result.Asked = append(w.result.Asked, Asked{Ask: e, Line: script.Nothing, Config: w.config})
	spoken, err := w.backend.Model(e, w.config.Shown(&e))
	if err != nil {
		return err
	}
	takes := spoken.Took
	if slow != nil {
		takes = slow.Line.Takes
	}
	answer, whole := spoken.Answer.(fsm.BrainAnswered)
	pieces := make([]script.Piece, len(spoken.Pieces))
	for i, p := range spoken.Pieces {
		pieces[i] = p.Piece
	}
	for i, p := range w.veil(e, pieces, whole, answer.AsText) {
		w.piece(e, min(spoken.Pieces[i].After, takes), p)
	}
	w.answer(e.Call, takes, spoken.Answer)
	return nil
}
