package state

import (
	"slices"

	"shelly/fsm"
)

// Said is a message to a chat that came from outside the chat's session, and that the next
// turn of the session begins after (SES-23).
type Said struct {
	Session string     `json:"session"`         // the chat's
	At      fsm.Millis `json:"at"`              // when it was sent
	From    string     `json:"from,omitempty"`  // the session of the event or the schedule that it is about; empty: another conversation
	About   string     `json:"about,omitempty"` // what that handle was asked for
	Text    string     `json:"text"`
	Asked   fsm.Source `json:"asked,omitzero"`  // of About
	Source  fsm.Source `json:"source,omitzero"` // of Text
}

// How many messages are kept for later turns: of one session, and of all.
const (
	saidOfSession = 3
	saidMax       = 64
)

// Say keeps a message for the next turn of its session, in place of the oldest one if
// there are too many.
func (s *Snapshot) Say(said Said) {
	oldest, of := 0, 0
	for i := range s.Said {
		if s.Said[i].Session == said.Session {
			if of++; of == 1 {
				oldest = i
			}
		}
	}
	switch {
	case of >= saidOfSession:
		s.Said = slices.Delete(slices.Clone(s.Said), oldest, oldest+1)
	case len(s.Said) >= saidMax:
		s.Said = s.Said[1:]
	}
	s.Said = append(slices.Clip(s.Said), said)
}

// SaidIn returns what a session has been told from outside since its last turn, oldest first.
func (s *Snapshot) SaidIn(session string) (said []Said) {
	for _, one := range s.Said {
		if one.Session == session {
			said = append(said, one)
		}
	}
	return said
}

// Heard forgets what a session was told: it is in the session's turn.
func (s *Snapshot) Heard(session string) {
	var left []Said
	for _, one := range s.Said {
		if one.Session != session {
			left = append(left, one)
		}
	}
	s.Said = left
}
