package export

import (
	"fmt"
	"iter"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/history/trace"
)

// Trace yields the steps of the request, as they are after [Record.Redact] (SIM-30).
func (r *Record) Trace(o trace.Options) iter.Seq[trace.Step] {
	return func(yield func(trace.Step) bool) {
		b := trace.NewOf(r.Anew(), r.From, o)
		for i, f := range engine.FoldInputs(r.From, r.inputs()) {
			s := &r.Steps[i]
			f.Index, f.Effects = s.Index, fsm.HashEffects(f.Caused)
			step, about := b.Take(f)
			if !about {
				continue
			}
			if s.Differs {
				step.Differs = &trace.Differs{Recorded: fmt.Sprintf("%016x", s.Recorded), Today: fmt.Sprintf("%016x", s.Today)}
			}
			if !yield(step) {
				return
			}
		}
	}
}
