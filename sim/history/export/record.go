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

// Record is what a journal holds of a request. Its steps are all records of the request's time,
// with all effects and moves, because the ids of calls and timers follow from all; N is 0 in one
// that has nothing to do with the request.
type Record struct {
	history.History
	From state.Snapshot // the state before the first step

	forked int // the step that it was forked at; 0: it is as the journal has it
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
	r = &Record{History: h}
	r.Steps = nil
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
		s := history.Whole(f, 0)
		s.About = false
		if i := slices.IndexFunc(h.Steps, func(o history.Step) bool { return o.Index == f.Index }); i >= 0 {
			s.N, s.About = h.Steps[i].N, h.Steps[i].About
		}
		r.Steps = append(r.Steps, s)
	}
	return r, nil
}

// Differs returns the index of the first record that today's code decides differently, or
// 0.
func (r *Record) Differs() uint64 {
	i := slices.IndexFunc(r.Steps, func(s history.Step) bool { return s.Differs })
	if i < 0 {
		return 0
	}
	return r.Steps[i].Index
}
