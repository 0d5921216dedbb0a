// Package engine drives the machine of package fsm so that a crash at any point
// loses nothing that was accepted. It is the same in production and in the
// simulator; only the [Journal] and the [World] differ.
//
// The whole driver loop:
//
//	e, err := engine.Open(journal, world)                       // snapshot, then fold the rest
//	err = e.Turn(fsm.Input{At: now, Fact: fsm.Boot{Config: c}}) // an epoch begins
//	for in := range inputs {
//		err = e.Turn(in)                                    // step, append, sync, perform
//	}
//
// A turn steps its inputs first: Step is pure, and only its effects tell whether
// the world is about to see something that must be durable, and which hash
// belongs into the journal. Then all inputs are appended in one write, synced if
// one of them is a barrier, and only then is the first effect performed. If the
// append fails, nothing has been performed, the engine is dead and the process
// must end; recovery starts from what the journal holds.
//
// Between turns, when there is time, the driver drops what is old (JRN-20):
//
//	dropped, err := e.Tidy(now, retention) // again until nothing was dropped
//
// An Engine has no goroutines and is not safe for concurrent use.
package engine
