package judge

import (
	"slices"

	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
)

// said checks what the world was told.
func (j *judgement) said(e *format.Expect) {
	r := j.result
	j.outgoing(e)
	j.expect("expect", ".notices", e.Notices, func() data.Value { return data.List(r.Notices, noticeValue) })
	j.expect("expect", ".questions", e.Questions, func() data.Value { return data.List(r.Questions, questionValue) })
	j.expect("expect", ".audit", e.Audit, func() data.Value { return data.List(r.Audits, auditValue) })
	j.expect("expect", ".refusals", e.Refusals, func() data.Value { return data.List(r.Refusals, refusalValue) })
	j.expect("expect", ".streamed", e.Streamed, func() data.Value { return data.List(r.Chunks, j.chunkValue) })
	j.expect("expect", ".asked", e.Asked, func() data.Value { return data.List(r.Asked, askedValue) })
	j.expect("expect", ".tokens", e.Tokens, func() data.Value { return tokensValue(r) })
	j.expect("expect", ".exit", e.Exit, func() data.Value { return exitValue(r.Exits) })
}

// outgoing is one of the places where words go out: replies to requests, messages to chats, and reports
// to the operator.
type outgoing struct {
	key  string
	want *match.Matcher
	got  func() data.Value
}

// outgoing checks what went out. Where it is not as wanted in one place, but would be in another, or
// where it is that of an event which names no chat, the failure says so (SCN-33).
func (j *judgement) outgoing(e *format.Expect) {
	r := j.result
	places := []outgoing{
		{".replies", e.Replies, func() data.Value { return data.List(r.Replies(), timingsOf(r).reply) }},
		{".messages", e.Messages, func() data.Value { return data.List(r.Messages, sentValue) }},
		{".reports", e.Reports, func() data.Value { return data.List(r.Reports, reportValue) }},
	}
	for _, p := range places {
		failed := len(j.failures)
		j.expect("expect", p.key, p.want, p.got)
		if len(j.failures) == failed {
			continue
		}
		elsewhere := slices.IndexFunc(places, func(o outgoing) bool { return o.key != p.key && len(o.got().List) > 0 && p.want.Fits(o.got()) })
		switch f := &j.failures[failed]; {
		case elsewhere >= 0:
			f.Hint = "expect" + places[elsewhere].key + " would hold: " + placesOfWords
		case len(p.got().List) == 0 && slices.ContainsFunc(j.file.Timeline, unheard):
			f.Hint = "the answer to an event that names no channel and chat goes nowhere: name them, and expect it in messages"
		}
	}
}

const placesOfWords = "replies answer requests, messages go to chats, also those about events and schedules, and reports go to the operator"

// unheard reports whether a moment is an event whose answer nobody gets (HND-63).
func unheard(m format.Moment) bool { return m.Event != nil && m.Event.Chat == "" }
