package sim

import (
	"iter"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Fold tells a machine the inputs of steps from a state on, and yields the place of
// each with what came of it.
func Fold(from fsm.Snapshot, steps []Step) iter.Seq2[int, engine.Folded] {
	return engine.FoldInputs(from, func(yield func(fsm.Input) bool) {
		for i := range steps {
			if !yield(steps[i].Input) {
				return
			}
		}
	})
}
