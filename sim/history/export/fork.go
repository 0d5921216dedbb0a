package export

import (
	"slices"

	"shelly/fsm/engine"
	"shelly/sim/history"
	"shelly/sim/history/fork"
)

// Forked is the record of a fork: what the machine was told in it, from the state that
// it began in. Replay then writes it as a replay.
func Forked(p fork.Point, f fork.Result) *Record {
	r := &Record{History: p.History, From: f.From, forked: p.Step.N}
	r.Steps, r.Ended = nil, f.Stands == ""
	q := &r.Request
	q.Done, q.Reply, q.IsError, q.Outcome = false, "", false, ""
	if f.Reply != nil {
		q.Done, q.Reply, q.IsError, q.Outcome = true, f.Reply.Text, f.Reply.IsError, f.Reply.Outcome
	}
	for _, t := range engine.FoldInputs(r.From, slices.Values(f.Told)) {
		r.Steps = append(r.Steps, history.Step{
			Input: t.Input, Handle: t.Concerns, About: t.Concerns != 0, Effects: t.Caused, Moves: slices.Clone(t.Moves),
		})
	}
	return r
}
