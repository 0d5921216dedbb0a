// Package engine drives the machine of package fsm so that a crash at any point
// loses nothing that was accepted. It is the same in production and in the
// simulator; only the [Journal] and the [World] differ.
//
// The daemon and the simulator both drive it with this loop:
//
//	d, err := engine.Drive(journal, world)  // snapshot, then fold the rest
//	err = d.Boot(now, config)               // an epoch begins
//	for {
//		wait, ok := d.Next(now)         // and d.NextSlot
//		…                               // until something happens, or the time has passed
//		err = d.Tell(now, facts...)     // what has happened
//		err = d.Wake(now)               // what was due; and d.TellSlots
//	}
//
// A [Driver] decides what the machine learns, in which order and when. It has no clock: the
// time comes with each call. The [Engine] below it takes turns.
//
// A turn steps its inputs first: Step is pure, and only its effects show whether the world
// is about to see something that must be durable, and which hash belongs in the journal.
// Then all inputs are appended in one write, synced if one of them is a barrier, and only
// then is the first effect performed. If the append fails, nothing has been performed, the
// engine is dead and the process must end; recovery starts from what the journal holds.
//
// Between turns, when there is time, the driver drops what is old (JRN-20):
//
//	dropped, err := e.Tidy(now, retention) // again until nothing was dropped
//
// Neither has goroutines and neither is safe for concurrent use.
package engine
