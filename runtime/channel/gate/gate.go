// Package gate decides who may talk to the agent, and how often (CHN-4, CHN-5). It is pure: the
// time is given.
package gate

import (
	"slices"
	"strings"
	"time"
)

// Rules say who may talk, and how often.
type Rules struct {
	// Allow are the senders that may. One that begins with * means all that end with the rest:
	// *@example.org. Empty: nobody.
	Allow []string
	// PerMinute is how many messages a sender may send in any minute.
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

// SendersMax bounds the senders that are known, each of those that may talk and of those that
// may not.
const SendersMax = 1024

// Gate counts what comes. It is not safe for use from several goroutines.
type Gate struct {
	Rules
	known   map[string]*sender
	strange map[string]bool // those that have been refused
	began   time.Time
}

// sender is one that may talk.
type sender struct {
	taken []time.Duration // since the first message of all, of those in the last minute
	told  bool            // that it was too many, since the last one that was taken
}

// Verdict is what becomes of a message.
type Verdict int

// The verdicts.
const (
	Passes   Verdict = iota
	Stranger         // the sender may not talk
	TooMany          // of this sender in this minute
)

// Take decides about a message. First is of a refusal: it is the sender's first, or the first
// since one of his was taken.
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

// makeRoom forgets senders that have been silent for a minute, where many are known. While there
// are none of those, more are known than SendersMax: each is one that may talk.
func (g *Gate) makeRoom(at time.Duration) {
	if len(g.known) < SendersMax {
		return
	}
	for name, s := range g.known { // order-free: each by itself
		if len(s.taken) == 0 || s.taken[len(s.taken)-1] <= at-time.Minute {
			delete(g.known, name)
		}
	}
}

// stranger reports whether one that may not talk comes for the first time. Beyond SendersMax
// of them nobody is the first.
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
