package script

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/described"
	"shelly/fsm/wording"
)

// Player serves scripts to whoever asks, and knows nothing of them but what they send
// (CLI-21). Calls that tell their session take the lines as the simulator hands them out
// (SCN-3), each once. A conversation without a session has the script to itself, and how
// far it has come shows in what it holds. A conversation that is asked again gets its
// line again, so that a client which was killed goes on where it was; after a failure or
// an empty answer it is the next try, and gets the next line.
//
// With Repeat the script starts over with each turn, and when it has ended: which line is
// next depends on how many answers of the model the turn holds (BRN-12). Such a player has
// no state, and several goroutines may use it at once; any other is for one.
type Player struct {
	Strict bool       // an unscripted summary, compaction, init or farewell is refused
	Quiet  fsm.Millis // how long such an answer takes
	Repeat bool

	hand  Hand
	turns map[[sha256.Size]byte]turn
	order [][sha256.Size]byte // the keys of turns, the oldest first
}

// turn is a call that was served: a line, of a script that is one conversation's the
// n-th, from 0.
type turn struct {
	entry Taken
	n     int
}

// askedMax bounds the conversations that are remembered; the oldest is forgotten.
const askedMax = 4096

// NewPlayer returns a player of scripts.
func NewPlayer(scripts []Script) *Player {
	return &Player{hand: NewHand(scripts), turns: map[[sha256.Size]byte]turn{}}
}

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

// Answer returns the line for a call. An error is an [*Exhausted].
func (p *Player) Answer(ask fsm.AskBrain) (Line, error) {
	var entry Taken
	if p.Repeat {
		entry = p.repeated(ask)
	} else {
		entry = p.served(ask)
	}
	if entry != Nothing {
		return p.hand.scripts[entry.Script].Lines[entry.Index], nil
	}
	if line, ok := Quiet(ask); ok && !p.Strict {
		line.Takes = p.Quiet
		return line, nil
	}
	return Line{}, p.exhausted(ask)
}

// served is the line of a script that is played once.
func (p *Player) served(ask fsm.AskBrain) Taken {
	keys := prefixes(ask)
	key := keys[len(keys)-1]
	at, again := p.turns[key]
	switch {
	case again && !p.failed(at.entry, ask):
	case ask.Session != "":
		at.entry = p.hand.Take(ask.Purpose, ask.Session)
	case again:
		at = p.along(ask, at.n+1)
	default:
		at = p.along(ask, p.reached(ask, keys[:len(keys)-1]))
	}
	p.remember(key, at)
	return at.entry
}

// along is the n-th call of a conversation that has the script to itself: that for all
// sessions, or the first where there is none such.
func (p *Player) along(ask fsm.AskBrain, n int) turn {
	of := -1
	for i, s := range p.hand.scripts {
		if s.Purpose == ask.Purpose && len(s.Lines) > 0 && (of < 0 || s.Session == "") {
			of = i
		}
	}
	if of >= 0 {
		if line := lineAt(p.hand.scripts[of].Lines, n); line >= 0 {
			return turn{Taken{of, line}, n}
		}
	}
	return turn{Nothing, n}
}

// reached is how many calls came before in a conversation: one more than in the longest
// that it goes on from. One that goes on from none, as its client has shortened it or the
// server is new, is as far as the model's answers in it.
func (p *Player) reached(ask fsm.AskBrain, before [][sha256.Size]byte) int {
	for i := len(before) - 1; i >= 0; i-- {
		if at, ok := p.turns[before[i]]; ok {
			return at.n + 1
		}
	}
	n := 0
	for _, m := range ask.Conversation.Messages {
		if m.Role == fsm.RoleAssistant {
			n++
		}
	}
	return n
}

// repeated is the line of a script that starts over with each turn.
func (p *Player) repeated(ask fsm.AskBrain) Taken {
	for i, s := range p.hand.scripts {
		if s.Purpose == ask.Purpose && s.Session == "" && len(s.Lines) > 0 {
			return Taken{i, lineAt(s.Lines, answersOfTurn(ask)%s.Calls())}
		}
	}
	return Nothing
}

// answersOfTurn is how many lines the turn has had: the answers of the model after the
// last that ended a turn. A summary or compaction is one call, made over the answers of
// another purpose.
func answersOfTurn(ask fsm.AskBrain) int {
	if ask.Purpose == fsm.PurposeSummary || ask.Purpose == fsm.PurposeCompact {
		return 0
	}
	n := 0
	messages := ask.Conversation.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		switch {
		case m.Role != fsm.RoleAssistant:
		case len(m.Calls) > 0, i+1 < len(messages) && brings(messages[i+1]), strings.HasPrefix(m.Text, fsm.NeedMarker):
			n++
		default:
			return n
		}
	}
	return n
}

// brings reports whether a message has a result, which is a user's for a model that is
// offered tools in words.
func brings(m fsm.Message) bool { return m.Role == fsm.RoleTool || described.IsResults(m) }

// failed reports whether what was served came to no answer.
func (p *Player) failed(entry Taken, ask fsm.AskBrain) bool {
	if entry == Nothing {
		return false
	}
	in, answered := p.hand.scripts[entry.Script].Lines[entry.Index].Answer(ask).(fsm.BrainAnswered)
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
	for i := range p.hand.scripts {
		if s := &p.hand.scripts[i]; !p.Repeat && s.Purpose == ask.Purpose && (s.Session == "" || s.Session == ask.Session) {
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
