// Package daemon runs the machine live: it owns the engine, performs effects
// through the adapters, and serves the listeners.
//
// One goroutine, the loop, owns the engine. Everything else reaches it as a
// message: requests and events from the listeners, outcomes of effects, timers
// and signals. The loop gathers what has arrived, gives it to the engine as one
// turn, and goes on. An effect is performed in a goroutine of its own under a
// context that an abort ends; its outcome comes back as an input.
//
//	d, err := daemon.Open(daemon.Options{…}) // recovers, performs nothing
//	code, err := d.Run(ctx)                  // boots, and returns when the machine has stopped
//
// Streamed text goes past the machine to whoever watches the request; only whole
// answers are inputs. A message to a chat is in the journal with the step that sent
// it: whoever delivers messages reads them there after the last that he delivered,
// and is only told that there are some.
//
// A test plays each scenario in this loop and holds its steps against the simulator's
// (SIM-24).
//
// A schedule's slot, which [fsm.ArmSchedule.Next] names, is awaited by the wall clock.
package daemon
