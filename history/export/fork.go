package export

import (
	"slices"

	"shelly/fsm"
	"shelly/history/fork"
)

// Forked is the record of a fork: what the machine was told in it, from the state that
// it began in. Replay then writes it as a replay.
func Forked(p fork.Point, f fork.Result) *Record {
	r := &Record{Request: p.History.Request, Handles: p.History.Handles, Ended: f.Stands == "", From: f.From, forked: p.Step.N}
	q := &r.Request
	q.Done, q.Reply, q.IsError, q.Outcome = false, "", false, ""
	if f.Reply != nil {
		q.Done, q.Reply, q.IsError, q.Outcome = true, f.Reply.Text, f.Reply.IsError, f.Reply.Outcome
	}
	m := fsm.Restore(r.From)
	for _, in := range f.Told {
		s := Step{Input: in, Handle: m.Concerns(in)}
		s.About = s.Handle != 0
		s.Effects = slices.Clone(m.Step(in))
		s.Moves = slices.Clone(m.Moves())
		r.Steps = append(r.Steps, s)
	}
	return r
}
