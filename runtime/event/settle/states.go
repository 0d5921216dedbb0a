package settle

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// SubjectsMax is how many subjects a source can have; what is seen of others is counted.
const SubjectsMax = 256

// States follows in which state each of a source's subjects is. A state that has held for Hold
// and is not the one that was last told is an event (EVT-3).
type States struct {
	Hold fsm.Millis
	Rate Rate

	subjects []subject // in the order of their names
	foreign  int       // states seen of subjects beyond SubjectsMax
}

// subject is one of them.
type subject struct {
	name  string
	told  string     // the state that was raised last, or was there at the beginning
	now   string     // the state seen last
	text  string     // of the last sight
	since fsm.Millis // when now began
	turns int        // changes of the state since told was
	spent spent
}

// Change is an event to be raised about a subject.
type Change struct {
	Subject  string
	From, To string
	Text     string     // of the last sight of it
	Since    fsm.Millis // when the state began
	Unsaid   int        // further changes since the last event, which no event has told
}

// find is the place of a subject, or where it would be.
func (s *States) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.subjects, name, func(a subject, name string) int { return strings.Compare(a.name, name) })
}

// Begin says in which state a subject was when it was last told of, so that the first sight of
// another is a change.
func (s *States) Begin(name, told string) {
	if i, known := s.find(name); !known && len(s.subjects) < SubjectsMax {
		s.subjects = slices.Insert(s.subjects, i, subject{name: name, told: told, now: told})
	}
}

// See takes a sight of a subject in. The first of one that has no beginning is no change.
func (s *States) See(now fsm.Millis, name, state, text string) {
	i, known := s.find(name)
	switch {
	case !known && len(s.subjects) >= SubjectsMax:
		s.foreign++
		return
	case !known:
		s.subjects = slices.Insert(s.subjects, i, subject{name: name, told: state, now: state, text: text, since: now})
		return
	}
	u := &s.subjects[i]
	u.text = text
	if u.now != state {
		u.now, u.since = state, now
		u.turns++
	}
}

// Foreign is how many sights were of subjects beyond SubjectsMax.
func (s *States) Foreign() int { return s.foreign }

// Told is the state of a subject that was told last, or false where there is no such subject.
func (s *States) Told(name string) (string, bool) {
	i, known := s.find(name)
	if !known {
		return "", false
	}
	return s.subjects[i].told, true
}

// Now is the state of a subject that was seen last, or false where there is no such subject.
func (s *States) Now(name string) (string, bool) {
	i, known := s.find(name)
	if !known {
		return "", false
	}
	return s.subjects[i].now, true
}

// Subjects are the names of all, in order.
func (s *States) Subjects() []string {
	names := make([]string, len(s.subjects))
	for i := range s.subjects {
		names[i] = s.subjects[i].name
	}
	return names
}

// due is when a subject's change may be raised, or false where there is none.
func (s *States) due(u *subject) (at fsm.Millis, ok bool) {
	return s.Rate.free(u.spent, u.since+s.Hold), u.now != u.told
}

// Due is when the next event is to be taken, or false where none is.
func (s *States) Due() (at fsm.Millis, ok bool) {
	for i := range s.subjects {
		if when, is := s.due(&s.subjects[i]); is && (!ok || when < at) {
			at, ok = when, true
		}
	}
	return at, ok
}

// Take returns the event that has been due longest, as told from now on.
func (s *States) Take(now fsm.Millis) (c Change, ok bool) {
	at, ok := s.Due()
	if !ok || at > now {
		return c, false
	}
	for i := range s.subjects {
		u := &s.subjects[i]
		if when, is := s.due(u); !is || when != at {
			continue
		}
		c = Change{Subject: u.name, From: u.told, To: u.now, Text: u.text, Since: u.since, Unsaid: u.turns - 1}
		u.told, u.turns, u.spent = u.now, 0, s.Rate.add(u.spent, now)
		break
	}
	return c, true
}
