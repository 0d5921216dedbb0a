package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/server"
)

// Usage is what model calls have cost on the server that they were put to (SIM-20).
// Tokens are counted as [server.Tokens] counts.
type Usage struct {
	Calls   int        // that the server began to serve
	Sent    int        // tokens of their prompts
	Read    int        // those of them that the slots did not hold
	Written int        // tokens of the answers
	Least   int        // tokens that must be read, whatever the order of the calls: see [Result.Least]
	Ordered int        // tokens that must be read where the prompts are as they are: see [Result.Ordered]
	Takes   fsm.Millis // from each call to its last token, together
}

// Ratio is how much was read of what had to be, in hundredths, rounded up; 0 where
// nothing had to be.
func (u Usage) Ratio() int { return hundredths(u.Read, u.Least) }

// OrderedRatio is how much was read of what had to be in the profile's order, likewise.
func (u Usage) OrderedRatio() int { return hundredths(u.Read, u.Ordered) }

func hundredths(read, of int) int {
	if of == 0 {
		return 0
	}
	return (read*100 + of - 1) / of
}

// Usage adds up the calls that count.
func (r *Result) Usage(counts func(Asked) bool) Usage {
	var u Usage
	for _, a := range r.Asked {
		if a.Served.ID == 0 || !counts(a) {
			continue
		}
		u.Calls++
		u.Sent += a.Served.Prompt
		u.Read += a.Served.Read
		u.Written += a.Served.Written
		u.Takes += a.Served.Last - a.Served.Asked
	}
	u.Least, u.Ordered = r.Least(counts), r.Ordered(counts)
	return u
}

// Least is how many tokens the calls that count cannot do without: of each stretch of
// a session the last prompt, less what it has in common with the stretch before it,
// and of each side call its own message. A stretch ends where a conversation no longer
// has what it began with: at a compaction, or with each request of a profile without
// a history.
func (r *Result) Least(counts func(Asked) bool) int {
	least := 0
	var open []stretch
	for _, a := range r.Asked {
		if a.Served.ID == 0 || a.Served.Refused || !counts(a) {
			continue
		}
		if messages := a.Ask.Conversation.Messages; a.aside() && len(messages) > 0 {
			least += server.Tokens(messages[len(messages)-1].Text)
			continue
		}
		i := slices.IndexFunc(open, func(s stretch) bool { return s.session == a.Ask.Session })
		if i < 0 {
			i = len(open)
			open = append(open, stretch{session: a.Ask.Session})
		}
		least += open[i].take(a)
	}
	for _, s := range open {
		least += s.tokens()
	}
	return least
}

// Ordered is how many tokens must be read of the prompts as the profile builds them, in
// its order, if no slot is lost to another session or model: of each the part that no
// earlier one of its session begins with. Beyond [Result.Least] it is the price of the
// profile's document, which has turns leave parts of a conversation or ask by themselves.
func (r *Result) Ordered(counts func(Asked) bool) int {
	ordered := 0
	earlier := map[string][]string{} // the prompts of each session
	for _, a := range r.Asked {
		if a.Served.ID == 0 || a.Served.Refused || !counts(a) {
			continue
		}
		prompt, held := a.Prompt, 0
		for _, p := range earlier[a.Ask.Session] {
			held = max(held, len(server.Shared(p, prompt)))
		}
		earlier[a.Ask.Session] = append(earlier[a.Ask.Session], prompt)
		ordered += server.Tokens(prompt) - server.Tokens(prompt[:held])
	}
	return ordered
}

// aside reports whether a call is about a conversation, not a part of it.
func (a *Asked) aside() bool {
	return a.Ask.Purpose == fsm.PurposeSummary || a.Ask.Purpose == fsm.PurposeCompact
}

// stretch is a part of a session in which each prompt goes on from the one before it.
type stretch struct {
	session string
	first   string // the message that it begins with
	before  string // the last prompt of the stretch before it
	prompt  string // its last so far
}

// take goes on with a call, and returns what the stretch that it ends comes to.
func (s *stretch) take(a Asked) (ended int) {
	messages := a.Ask.Conversation.Messages
	goesOn := slices.ContainsFunc(messages, func(m fsm.Message) bool { return m.Text == s.first })
	if s.prompt != "" && !goesOn {
		ended = s.tokens()
		s.before, s.prompt = s.prompt, ""
	}
	if s.prompt == "" && len(messages) > 0 {
		s.first = messages[0].Text
	}
	s.prompt = a.Prompt
	return ended
}

func (s *stretch) tokens() int {
	return server.Tokens(s.prompt) - server.Tokens(server.Shared(s.before, s.prompt))
}

// Waits are the longest times from a request's acceptance to the first word of an
// answer, and to its reply.
func (r *Result) Waits() (firstWord, reply fsm.Millis) {
	for _, q := range r.Requests {
		accepted, told := r.Span(q)
		if told >= 0 {
			reply = max(reply, told-accepted)
		}
		if first, ok := r.FirstWord(q); ok {
			firstWord = max(firstWord, first-accepted)
		}
	}
	return firstWord, reply
}

// Span is when a request was accepted and when its reply was sent; -1 where it was not.
func (r *Result) Span(q engine.Request) (accepted, told fsm.Millis) {
	accepted, told = -1, -1
	for _, s := range r.Steps {
		if in, ok := s.Input.Fact.(fsm.Requested); ok && in.Request == q.Key && accepted < 0 {
			accepted = s.At
		}
		if told < 0 && slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool { reply, ok := e.(fsm.Reply); return ok && reply.Request == q.Key }) {
			told = s.At
		}
	}
	return accepted, told
}

// FirstWord is when the server wrote the first token of an answer with text to a
// request; false where it has written none.
func (r *Result) FirstWord(q engine.Request) (fsm.Millis, bool) {
	for _, a := range r.Asked {
		if a.Ask.Handle == q.Handle && a.Spoke && a.Served.ID != 0 && a.Ask.Purpose == fsm.PurposeAnswer {
			return a.Served.First, true
		}
	}
	return 0, false
}
