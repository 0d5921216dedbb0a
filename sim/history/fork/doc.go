// Package fork answers what would have happened to a request or a run from one of its steps
// on, had something been different: what the model, a tool or a person said there, the
// model, a prompt or a limit (SIM-15).
//
//	point, err := fork.At(journal, history, 4)
//	in, err := point.Edited([]fork.Edit{{Key: "result", Value: "no such file"}})
//	result, err := fork.Run(point, fork.Change{Input: in}, brain)
//
// The machine's state before the record of the step is folded, and from it the machine
// goes on by itself, alone with the request's handles. The model is asked; whatever else
// the machine asks for comes from the record or is refused:
//
//   - a tool call is answered as one with the same name and arguments was, each recorded
//     result in order, that of a read-only tool again and again; any other fails with
//     [NotRecorded];
//   - a recall finds what the same need found, or nothing; a session or a skill is the
//     recorded one; a text has the recorded vector, or none;
//   - a person decides as recorded about the same call, and refuses any other;
//   - what would be saved, stored, sent, armed or audited is taken as done;
//   - a wait before another attempt is over at once, and no time-out fires.
//
// What came from outside after the step (a cancel, a signal, a restart, a reload, an event)
// does not come. Nothing is performed and nothing is written, so no side effect happens
// twice. Run is synchronous and bounded in steps; how long it may take is up to the
// brain that it is given.
package fork
