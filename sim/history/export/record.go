package export

import (
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// RecordsMax bounds the records of one export: all that was journalled from the
// acceptance of the request to the end of its handles.
const RecordsMax = 10_000

// ErrTooMany says that a request has more than [RecordsMax].
var ErrTooMany = fmt.Errorf("more than %d records lie between its acceptance and its end", RecordsMax)

// Record is what a journal holds of a request.
type Record struct {
	Request engine.Request
	Handles []fsm.HandleID // its own, then its subagents'; none: it was answered without one
	Run     bool           // it is a run, and Request says the same of it as of a request
	Ended   bool           // none of the handles is unfinished
	From    state.Snapshot // the state before the first step
	Steps   []Step

	forked int // the step that it was forked at; 0: it is as the journal has it
}

// Step is one record, stepped with today's code. Those of other handles are among them:
// the ids of calls and timers follow from all.
type Step struct {
	Index   uint64
	N       int // its number in the history of the request, from 1; 0: it has nothing to do with it
	Input   fsm.Input
	About   bool         // the input is about one of the request's handles, or makes one
	Handle  fsm.HandleID // whom the input is about; 0: none
	Effects []fsm.Effect
	Moves   []state.Move
	Differs bool // today's code decides differently from what is recorded

	Recorded, Today uint64 // the hashes of the effects then, and with today's code
}

// Read reads a request, as far as the journal goes. Its errors are those of
// [history.Of].
func Read(j engine.Reader, key fsm.RequestKey) (*Record, error) {
	h, err := history.Of(j, key)
	if err != nil {
		return nil, err
	}
	return ReadOf(j, h)
}

// ReadOf reads what a history tells of, from its first record that is kept.
func ReadOf(j engine.Reader, h history.History) (r *Record, err error) {
	r = &Record{Request: h.Request, Handles: h.Handles, Run: h.Run, Ended: h.Ended}
	first := h.Request.Index + h.Lost
	if r.From, err = engine.StateAt(j, first-1); err != nil {
		return nil, err
	}
	last := first
	if n := len(h.Steps); n > 0 {
		last = h.Steps[n-1].Index
	}
	for f, err := range engine.Fold(j, first-1) {
		if err != nil {
			return nil, err
		}
		if f.Index > last {
			break
		}
		if len(r.Steps) == RecordsMax {
			return nil, fmt.Errorf("%s: %w", r.Name(), ErrTooMany)
		}
		s := Step{Index: f.Index, Input: f.Input, Handle: f.Concerns, Effects: f.Caused, Moves: slices.Clone(f.Moves), Differs: f.Differs()}
		s.Recorded, s.Today = f.Effects, fsm.HashEffects(f.Caused)
		if i := slices.IndexFunc(h.Steps, func(o history.Step) bool { return o.Index == f.Index }); i >= 0 {
			s.N, s.About = h.Steps[i].N, h.Steps[i].About
		}
		r.Steps = append(r.Steps, s)
	}
	return r, nil
}

// Name is what it is called: "request q1", or "run h12".
func (r *Record) Name() string { return (&history.History{Request: r.Request, Run: r.Run}).Name() }

// Differs returns the index of the first record that today's code decides differently, or
// 0.
func (r *Record) Differs() uint64 {
	i := slices.IndexFunc(r.Steps, func(s Step) bool { return s.Differs })
	if i < 0 {
		return 0
	}
	return r.Steps[i].Index
}
