// Package gate decides who may talk to the agent, and how often (CHN-4, CHN-5). It is pure: the
// caller passes the time.
package gate

import (
	"slices"
	"strings"
	"time"
)

// Rules are who may talk, and how often.
type Rules struct {
	// Allow lists the senders that may. An entry such as *@example.org means all that end with
	// the part after the *. Empty: nobody.
	Allow []string
	// PerMinute is the most messages that a sender may send in any minute.
	PerMinute int
}

// Allows reports whether a sender may talk.
func (r Rules) Allows(sender string) bool {
	if sender == "" {
		return false
	}
	return slices.ContainsFunc(r.Allow, func(a string) bool {
		end, wild := strings.CutPrefix(a, "*")
		return a == sender || wild && strings.HasSuffix(sender, end)
	})
}

// SendersMax bounds the known senders: those that may talk, and separately those that may not.
const SendersMax = 1024

// Gate counts what comes. It is not safe for use from several goroutines.
type Gate struct {
	Rules
	known   map[string]*sender
	strange map[string]bool // senders that may not talk and were refused
	began   time.Time
}

// sender is a sender that may talk.
type sender struct {
	taken []time.Duration // times of the messages in the last minute, since the very first message
	told  bool            // a message was refused since the last accepted one
}

// Verdict is the decision about a message.
type Verdict int

// The verdicts.
const (
	Passes   Verdict = iota
	Stranger         // the sender may not talk
	TooMany          // the sender has sent too many within a minute
)

// Take decides about a message. First is true if this is the sender's first refusal, or the
// first since one of the sender's messages was accepted.
func (g *Gate) Take(now time.Time, from string) (v Verdict, first bool) {
	if !g.Allows(from) {
		return Stranger, g.stranger(from)
	}
	if g.known == nil {
		g.known, g.began = map[string]*sender{}, now
	}
	at := now.Sub(g.began)
	s := g.known[from]
	if s == nil {
		g.makeRoom(at)
		s = &sender{}
		g.known[from] = s
	}
	s.taken = slices.DeleteFunc(s.taken, func(t time.Duration) bool { return t <= at-time.Minute })
	if len(s.taken) >= g.PerMinute {
		first, s.told = !s.told, true
		return TooMany, first
	}
	s.taken, s.told = append(s.taken, at), false
	return Passes, false
}

// makeRoom forgets senders that have been silent for a minute if too many are known. If there
// are none, more than SendersMax are known; each of them may talk.
func (g *Gate) makeRoom(at time.Duration) {
	if len(g.known) < SendersMax {
		return
	}
	for name, s := range g.known { // order-free: each is decided on its own
		if len(s.taken) == 0 || s.taken[len(s.taken)-1] <= at-time.Minute {
			delete(g.known, name)
		}
	}
}

// stranger reports whether a sender that may not talk comes for the first time. Once SendersMax
// of them are known it always returns false.
func (g *Gate) stranger(from string) bool {
	if g.strange[from] || len(g.strange) >= SendersMax {
		return false
	}
	if g.strange == nil {
		g.strange = map[string]bool{}
	}
	g.strange[from] = true
	return true
}
