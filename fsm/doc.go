// Package fsm is shelly's loop: one pure state machine.
//
// A [Machine] is driven by inputs and answers with effects:
//
//	m := fsm.New()
//	effects := m.Step(fsm.Boot{At: now, Config: fsm.ShellyProfile()})
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
//     make it durable first when [Barrier] says so.
//   - Perform effects in order. An effect that carries a CallID wants exactly
//     one answering input with that CallID; what no longer waits is ignored.
//   - Forget every pending call and timer of an earlier epoch when a [Boot]
//     has been applied: the machine asks again for what it still needs.
//
// Three literal tables are the single source of truth: [Lifecycle], [HandleTable]
// and [InferenceTable]. SPEC.md holds the numbered rules that the tables,
// handlers, tests and scenarios cite.
package fsm
