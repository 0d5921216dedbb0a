package scenario

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim"
)

// Player serves a scenario's script to clients that it knows nothing of but what
// they send (CLI-21). Calls that tell their session take the lines as the simulator
// hands them out (SCN-3): a session's own first, then those for all, each once. A
// conversation without a session has the script to itself, and how far it has come
// is told by what it holds.
//
// A conversation that is asked again gets its line again, so that a client which
// was killed goes on where it was; behind a failure or an empty answer it is the
// next try, and gets the next line.
//
// For a script that begins anew with each turn see [Brain].
//
// A Player is not safe for concurrent use.
type Player struct {
	scripts []sim.Script
	strict  bool
	quiet   fsm.Millis

	taken []int // per script: the calls of sessions so far
	turns map[[sha256.Size]byte]turn
	order [][sha256.Size]byte // the keys of turns, the oldest first
}

// turn is a call of a script.
type turn struct {
	script int // -1: none is left
	n      int // from 0
}

// askedMax bounds the conversations that are remembered; the oldest is forgotten.
const askedMax = 4096

// Exhausted says that a script has no line for a call.
type Exhausted struct {
	Purpose fsm.Purpose
	Session string
	Lines   int // calls that the script is for
}

func (e *Exhausted) Error() string {
	whose := ""
	if e.Session != "" {
		whose = " in session " + strconv.Quote(e.Session)
	}
	if e.Lines == 0 {
		return fmt.Sprintf("the script has no line for a call for %s%s", e.Purpose, whose)
	}
	return fmt.Sprintf("the script has no line left for a call for %s%s: it is for %s", e.Purpose, whose, wording.Count(e.Lines, "call"))
}

// Player returns a player of the scenario's script.
func (f *File) Player() *Player {
	scripts := f.scripts()
	return &Player{
		scripts: scripts, strict: f.Strict, quiet: f.latency().Brain.millis(),
		taken: make([]int, len(scripts)), turns: map[[sha256.Size]byte]turn{},
	}
}

// Answer returns the line for a call. An error is an [*Exhausted].
func (p *Player) Answer(ask fsm.AskBrain) (sim.Line, error) {
	keys := prefixes(ask)
	key := keys[len(keys)-1]
	at, again := p.turns[key]
	switch {
	case again && !p.failed(at, ask):
	case ask.Session != "":
		at = p.next(ask)
	case again:
		at.n++
	default:
		at = p.along(ask, keys[:len(keys)-1])
	}
	p.remember(key, at)
	if line, ok := p.line(at); ok {
		return line, nil
	}
	if line, ok := sim.Quiet(ask); ok && !p.strict {
		line.Takes = p.quiet
		return line, nil
	}
	return sim.Line{}, p.exhausted(ask)
}

// next takes the next line of the scripts for a session.
func (p *Player) next(ask fsm.AskBrain) turn {
	at := turn{script: -1}
	for i := range p.scripts {
		s := &p.scripts[i]
		if s.Purpose != ask.Purpose || s.Session != "" && s.Session != ask.Session {
			continue
		}
		if _, left := p.line(turn{i, p.taken[i]}); left && (at.script < 0 || s.Session != "") {
			at = turn{i, p.taken[i]}
		}
	}
	if at.script >= 0 {
		p.taken[at.script]++
	}
	return at
}

// along is the turn behind that of the longest conversation which this one goes on
// from. One that goes on from none, as its client has shortened it or the server is
// new, is as far as the model's answers in it.
func (p *Player) along(ask fsm.AskBrain, before [][sha256.Size]byte) turn {
	for i := len(before) - 1; i >= 0; i-- {
		if at, ok := p.turns[before[i]]; ok {
			at.n++
			return at
		}
	}
	at := turn{script: p.open(ask.Purpose)}
	for _, m := range ask.Conversation.Messages {
		if m.Role == fsm.RoleAssistant {
			at.n++
		}
	}
	return at
}

// open is the script that a conversation without a session plays: that for all
// sessions, or the first where there is none such, or -1.
func (p *Player) open(purpose fsm.Purpose) int {
	first := -1
	for i, s := range p.scripts {
		if s.Purpose != purpose || len(s.Lines) == 0 {
			continue
		}
		if s.Session == "" {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

func (p *Player) line(at turn) (sim.Line, bool) {
	if at.script < 0 {
		return sim.Line{}, false
	}
	return p.scripts[at.script].Line(at.n)
}

// failed reports whether what was served came to no answer.
func (p *Player) failed(at turn, ask fsm.AskBrain) bool {
	line, ok := p.line(at)
	if !ok {
		return false
	}
	in, answered := line.Answer(ask).(fsm.BrainAnswered)
	return !answered || in.Text == "" && len(in.Calls) == 0
}

func (p *Player) remember(key [sha256.Size]byte, at turn) {
	if _, known := p.turns[key]; !known {
		p.order = append(p.order, key)
	}
	p.turns[key] = at
	if len(p.order) > askedMax {
		delete(p.turns, p.order[0])
		p.order = p.order[1:]
	}
}

func (p *Player) exhausted(ask fsm.AskBrain) *Exhausted {
	e := &Exhausted{Purpose: ask.Purpose, Session: ask.Session}
	for i := range p.scripts {
		if s := &p.scripts[i]; s.Purpose == ask.Purpose && (s.Session == "" || s.Session == ask.Session) {
			e.Lines += s.Calls()
		}
	}
	return e
}

// prefixes are the hashes of what a conversation was after each of its messages, with
// purpose and session; the last is that of all. What a client may change in an answer
// that it sends back, the thinking and the ids of calls, is not in it.
func prefixes(ask fsm.AskBrain) [][sha256.Size]byte {
	hash := sha256.Sum256(fmt.Appendf(nil, "%q %q", ask.Purpose, ask.Session))
	keys := [][sha256.Size]byte{hash}
	for _, m := range ask.Conversation.Messages {
		text := fmt.Appendf(hash[:], "%q %q %q", m.Role, m.Text, m.Tool)
		for _, c := range m.Calls {
			text = fmt.Appendf(text, " %q %q", c.Name, c.Args)
		}
		hash = sha256.Sum256(text)
		keys = append(keys, hash)
	}
	return keys
}
