// Package machine is shelly's loop: one pure state machine.
//
// A [Machine] is driven by inputs and answers with effects:
//
//	m := machine.New()
//	effects := m.Step(fsm.Input{At: now, Fact: fsm.Boot{Config: profile.Default()}})
//
// Step never reads a clock, starts a goroutine, does I/O or draws a random
// number. Time arrives on each input. The caller (package fsm/engine) appends
// each input to a journal, performs the effects, and hands every outcome back
// as another input. State is the fold of the journal, so recovery, replay and
// simulation are the same act.
//
// The caller's contract:
//
//   - Apply inputs in one order, one at a time; a Machine is not safe for
//     concurrent use.
//   - Append an input to the journal before performing any effect it caused;
//     make it durable first when [Machine.Barrier] says so.
//   - Perform effects in order. An effect that carries a CallID wants exactly
//     one answering input with that CallID; one that is no longer awaited is
//     ignored.
//   - Forget every pending call and timer of an earlier epoch when an [fsm.Boot]
//     has been applied: the machine asks again for what it still needs.
//
// How a machine behaves is in its [fsm.Config]: switches, limits, options and prompts. A
// profile (package fsm/profile) is a named one. All profiles run the same tables and the
// same code.
//
// Where to read, from the top: step.go hands a fact to its handler; phases.go says what is
// done in each state of the tables (fsm/state). A request comes in through command.go and
// queue.go; begins in saving.go, with its session, and cognition.go; answers in thinking.go
// and acting.go, which runs tools, and builtin_run.go, which answers the machine's own;
// waits for people in person.go; ends in ending.go and remember.go. A history that is too
// long is made shorter in overflow.go, a conversation in condense.go. At the bottom,
// fire.go takes a row, and machine.go has the state, calls and timers; neither names a
// phase.
//
// Whose turn it is, what a model is sent before the conversation, what is kept of a turn and
// how a conversation is made to fit are packages beside this one: queue, prompt, turn and fit.
//
// The handles are one slice. A pointer into it is good until the next call that may add or
// remove a handle; held_test.go checks that none is used after that.
//
// SPEC.md holds the numbered rules that the tables, handlers, tests and scenarios cite.
package machine
