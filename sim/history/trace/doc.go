// Package trace tells a run step by step, as data: what came in, the transitions, the
// effects, the messages that the model was sent, what changed in the state, and what is
// remarkable about it (SIM-30).
//
//	b := trace.New(before, trace.Options{})
//	for f, err := range engine.Fold(journal, after) {
//		if step, ok := b.Take(f); ok {
//			...
//		}
//	}
//
// A run of the simulator and the journal of a daemon are described by the same code, since
// both are folds of the machine. A [Builder] keeps the state before the next step and the
// last few questions to the model, and nothing else, so that a run of any length streams.
//
// A [Step] is plain data with a stable JSON form; [Text] writes one for people.
package trace
