package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/sim/server"
)

// Usage is what model calls have cost on the server that they were put to (SIM-20).
// Tokens are counted as [server.Tokens] counts.
type Usage struct {
	Calls   int        // that the server began to serve
	Sent    int        // tokens of their prompts
	Read    int        // those of them that the slots did not hold
	Written int        // tokens of the answers
	Least   int        // tokens that no order of the calls saves, answers included
	Ordered int        // tokens that no slot saves of the prompts as they are, answers included
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

// UsageOf adds up calls.
func UsageOf(asked []Asked) Usage {
	var u Usage
	for i := range asked {
		a := &asked[i]
		if a.Served.ID == 0 {
			continue
		}
		u.Calls++
		u.Sent += a.Served.Prompt
		u.Read += a.Served.Read
		u.Written += a.Served.Written
		u.Takes += a.Served.Last - a.Served.Asked
	}
	u.Least, u.Ordered = least(asked), ordered(asked)
	return u
}

// least is how many tokens calls cannot do without, apart from answers that a slot still has: of each stretch of
// a session the last prompt, less what it has in common with the stretch before it,
// and of each side call its own message. A stretch ends where a conversation no longer
// has what it began with: at a compaction, or with each request of a profile without
// a history.
func least(asked []Asked) int {
	least := 0
	var open []stretch
	at := map[string]int{} // index of a session's
	for i := range asked {
		a := &asked[i]
		if a.Served.ID == 0 || a.Served.Refused {
			continue
		}
		n, ok := at[a.Ask.Session]
		if !ok {
			n = len(open)
			at[a.Ask.Session], open = n, append(open, stretch{})
		}
		if messages := a.Ask.Conversation.Messages; a.aside() && len(messages) > 0 {
			least += server.Tokens(messages[len(messages)-1].Text)
			open[n].compacts = open[n].compacts || a.Ask.Purpose == fsm.PurposeCompact
			continue
		}
		least += open[n].take(a)
	}
	for _, s := range open {
		least += s.tokens()
	}
	return least
}

// ordered is how many tokens must be read of the prompts as the profile builds them, in
// its order, if no slot is lost to another session or model: of each the part that no
// earlier one of its session begins with. Beyond [least] it is the price of the
// profile's document, which has turns leave parts of a conversation or ask by themselves.
func ordered(asked []Asked) int {
	ordered := 0
	earlier := map[string][]string{} // the prompts of each session, sorted
	for i := range asked {
		a := &asked[i]
		if a.Served.ID == 0 || a.Served.Refused {
			continue
		}
		prompt, held, prompts := a.Prompt, 0, earlier[a.Ask.Session]
		n, _ := slices.BinarySearch(prompts, prompt)
		for _, p := range prompts[max(n-1, 0):min(n+1, len(prompts))] { // none has more in common with it
			held = max(held, len(server.Shared(p, prompt)))
		}
		earlier[a.Ask.Session] = slices.Insert(prompts, n, prompt)
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
	first    string // the message that it begins with
	before   string // the last prompt of the stretch before it
	prompt   string // its last so far
	messages int    // of that
	compacts bool   // a compaction was asked for since
}

// take goes on with a call, and returns what the stretch that it ends comes to.
func (s *stretch) take(a *Asked) (ended int) {
	messages := a.Ask.Conversation.Messages
	goesOn := slices.ContainsFunc(messages, func(m fsm.Message) bool { return m.Text == s.first }) &&
		!(s.compacts && len(messages) < s.messages) // one summary may have the text of another
	if s.prompt != "" && !goesOn {
		ended = s.tokens()
		s.before, s.prompt = s.prompt, ""
	}
	if s.prompt == "" && len(messages) > 0 {
		s.first = messages[0].Text
	}
	s.prompt, s.messages, s.compacts = a.Prompt, len(messages), false
	return ended
}

func (s *stretch) tokens() int {
	return server.Tokens(s.prompt) - server.Tokens(server.Shared(s.before, s.prompt))
}

// Waits are the longest times from a request's acceptance to the first word of an
// answer, and to its reply.
func (r *Result) Waits() (firstWord, reply fsm.Millis) {
	spans, first := r.Spans(), r.FirstWords()
	for _, q := range r.Requests {
		span := spans[q.Key]
		if span.Told >= 0 {
			reply = max(reply, span.Told-span.Accepted)
		}
		if at, ok := first[q.Handle]; ok {
			firstWord = max(firstWord, at-span.Accepted)
		}
	}
	return firstWord, reply
}

// Span is when a request was accepted and when its reply was sent; -1 where it was not.
type Span struct{ Accepted, Told fsm.Millis }

// Spans are those of all requests.
func (r *Result) Spans() map[fsm.RequestKey]Span {
	spans := make(map[fsm.RequestKey]Span, len(r.Requests))
	for _, q := range r.Requests {
		spans[q.Key] = Span{-1, -1}
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if in, ok := s.Input.Fact.(fsm.Requested); ok {
			if span, ok := spans[in.Request]; ok && span.Accepted < 0 {
				span.Accepted = s.At
				spans[in.Request] = span
			}
		}
		for _, e := range s.Effects {
			if reply, ok := e.(fsm.Reply); ok {
				if span, ok := spans[reply.Request]; ok && span.Told < 0 {
					span.Told = s.At
					spans[reply.Request] = span
				}
			}
		}
	}
	return spans
}

// FirstWords are when the server wrote the first token of an answer with text for each
// handle for which it has written one.
func (r *Result) FirstWords() map[fsm.HandleID]fsm.Millis {
	var words map[fsm.HandleID]fsm.Millis
	for i := range r.Asked {
		a := &r.Asked[i]
		if _, ok := words[a.Ask.Handle]; !ok && a.Spoke && a.Served.ID != 0 && a.Ask.Purpose == fsm.PurposeAnswer {
			if words == nil {
				words = map[fsm.HandleID]fsm.Millis{}
			}
			words[a.Ask.Handle] = a.Served.First
		}
	}
	return words
}
