// Package daemon runs the machine live: it owns the engine, performs effects
// through the adapters, and serves the listeners.
//
// One goroutine, the loop, owns the engine. Everything else reaches it as a
// message: requests and events from the listeners, outcomes of effects, timers
// and signals. The loop gathers what has arrived, gives it to the engine as one
// turn, and repeats. An effect is performed in its own goroutine under a
// context that an abort ends; its outcome comes back as an input.
//
//	d, err := daemon.Open(daemon.Options{…}) // recovers, performs nothing
//	code, err := d.Run(ctx)                  // boots, and returns when the machine has stopped
//
// Streamed text bypasses the machine and goes straight to the request's watchers; only whole
// answers are inputs. A message to a chat is in the journal with the step that sent
// it: a deliverer is only notified that there are messages, and reads them there,
// starting after the last one that it delivered.
//
// A test plays each scenario in this loop and compares its steps with the simulator's
// (SIM-24).
//
// The next slot of a schedule, [fsm.ArmSchedule.Next], is a time of the wall clock.
package daemon
