// Package history tells what happened to a request, step by step. The journal holds
// inputs alone; the effects, transitions and states are found by folding it again:
//
//	h, err := history.Of(journal, key)
//	for _, s := range h.Steps {
//		fmt.Println(s.Index, fsm.InputKind(s.Input), s.Moves)
//	}
//
// [Tell] puts the steps into words, and a [Step] has a wire form.
//
// A fold begins at the last snapshot before what is asked for, so its cost does not grow
// with the journal. Nothing is performed and nothing is written.
//
// The packages below it look back at a request in other ways: regression compares a model's
// decisions with recorded ones, fork continues from a step in another way, export makes a
// scenario of a request, and redact replaces the secrets in it. The command passes to the
// daemon's listener what these say about a request.
package history
