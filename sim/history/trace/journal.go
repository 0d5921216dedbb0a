package trace

import (
	"iter"

	"shelly/fsm/engine"
	"shelly/sim/history"
)

// OfRequest yields the steps of a request or run as far as the journal goes, from the first
// record that is kept. Of its history only the request and the number of records that
// are lost count. An error is the last that is yielded.
func OfRequest(j engine.Reader, of history.History, o Options) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		first := of.Request.Index + of.Lost
		before, err := engine.StateAt(j, first-1)
		if err != nil {
			yield(Step{}, err)
			return
		}
		h := of.Anew()
		b := NewOf(h, before, o)
		for f, err := range engine.Fold(j, first-1) {
			if err != nil {
				yield(Step{}, err)
				return
			}
			if step, about := b.Take(f); about && !yield(step, nil) || h.Ended {
				return
			}
		}
	}
}
