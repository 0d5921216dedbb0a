package history

import (
	"slices"

	"shelly/fsm"
)

type (
	factRow   = fsm.FactRow[*teller, inputWord]
	effectRow = fsm.EffectRow[*teller, string]
)

// inputWords and effectWords put each kind in words; an effect's keep in mind what it begins.
var (
	inputWords  = fsm.NewFactTable(slices.Concat(brainFacts(), toolFacts(), memoryFacts(), sessionFacts(), clientFacts(), daemonFacts())...)
	effectWords = fsm.NewEffectTable(slices.Concat(brainEffects(), toolEffects(), memoryEffects(), sessionEffects(), clientEffects(), daemonEffects())...)
)

// input is what the machine was told, in words. What was about another handle is
// marked as such.
func (t *teller) input(s Step) string {
	t.now, t.epoch = s.Input.At, s.Epoch
	words := inputWords.Do(t, s.Input.Fact)
	if !s.About && !words.daemon {
		return "elsewhere: " + words.text
	}
	return words.text
}

// inputWord is a fact in words.
type inputWord struct {
	text   string
	daemon bool // it is about the daemon, not about a handle
}

// ofDaemon is the row of a fact about the daemon, ofHandle that of one about a handle.
func ofDaemon[F fsm.Fact](tell func(*teller, F) string) fsm.FactRow[*teller, inputWord] {
	return fsm.OnFact(func(t *teller, f F) inputWord { return inputWord{tell(t, f), true} })
}

func ofHandle[F fsm.Fact](tell func(*teller, F) string) fsm.FactRow[*teller, inputWord] {
	return fsm.OnFact(func(t *teller, f F) inputWord { return inputWord{tell(t, f), false} })
}

// ofCall is the row of an answer; took is how long its call took.
func ofCall[F fsm.Answer](tell func(t *teller, f F, took string) string) fsm.FactRow[*teller, inputWord] {
	return ofHandle(func(t *teller, f F) string { return tell(t, f, t.took(f.CallOf())) })
}

// failed is what came of a call, or that it failed and why.
func (t *teller) failed(why, failed, well string) string {
	if why == "" {
		return well
	}
	return failed + ":" + t.text(why)
}

// Minor reports whether an effect is bookkeeping: a timer, or the record of a call
// whose start and end are shown anyway. A call that was not run has neither.
func Minor(e fsm.Effect) bool {
	_, set := e.(fsm.SetTimer)
	_, clear := e.(fsm.ClearTimer)
	audit, ok := e.(fsm.Audit) // that a call has ended its answer says, where there is one
	return set || clear || ok && !audit.Unknown && audit.Ran()
}

// begins keeps in mind what a call was begun of, and when.
func (t *teller) begins(call fsm.Effect, what string) {
	t.calls[fsm.CallOf(call)] = called{what, t.now}
}
