package settle

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// SubjectsMax is the most subjects of a source; reports about further ones are only counted.
const SubjectsMax = 256

// States follows the state of each of a source's subjects. A state that has held for Hold
// and is not the one that was told last becomes an event (EVT-3).
type States struct {
	Hold fsm.Millis
	Rate Rate

	subjects []subject // in the order of their names
	foreign  int       // reports about subjects beyond SubjectsMax
}

// subject is one of a source's subjects.
type subject struct {
	name  string
	told  string     // the state that was told last, or the one at the beginning
	now   string     // the state seen last
	text  string     // of the last report
	since fsm.Millis // when now began
	turns int        // changes of the state since told
	spent spent
}

// Change is an event to be raised about a subject.
type Change struct {
	Subject  string
	From, To string
	Text     string     // of the last report
	Since    fsm.Millis // when the state began
	Unsaid   int        // further changes since the last event, which no event tells
}

// find returns the index of a subject, or where it would be.
func (s *States) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.subjects, name, func(a subject, name string) int { return strings.Compare(a.name, name) })
}

// Begin sets the state of a subject that was told last, so that the first report of another
// state is a change.
func (s *States) Begin(name, told string) {
	if i, known := s.find(name); !known && len(s.subjects) < SubjectsMax {
		s.subjects = slices.Insert(s.subjects, i, subject{name: name, told: told, now: told})
	}
}

// See adds a report about a subject. The first one about a subject without a Begin is not a
// change, and is reported as first.
func (s *States) See(now fsm.Millis, name, state, text string) (first bool) {
	i, known := s.find(name)
	switch {
	case !known && len(s.subjects) >= SubjectsMax:
		s.foreign++
		return false
	case !known:
		s.subjects = slices.Insert(s.subjects, i, subject{name: name, told: state, now: state, text: text, since: now})
		return true
	}
	u := &s.subjects[i]
	u.text = text
	if u.now != state {
		u.now, u.since = state, now
		u.turns++
	}
	return false
}

// Foreign returns how many reports were about subjects beyond SubjectsMax.
func (s *States) Foreign() int { return s.foreign }

// Told returns the state of a subject that was told last, or "" if there is no such subject.
func (s *States) Told(name string) string {
	i, known := s.find(name)
	if !known {
		return ""
	}
	return s.subjects[i].told
}

// Now returns the state of a subject that was seen last, or "" if there is no such subject.
func (s *States) Now(name string) string {
	i, known := s.find(name)
	if !known {
		return ""
	}
	return s.subjects[i].now
}

// Subjects returns the names of all subjects, in order.
func (s *States) Subjects() []string {
	names := make([]string, len(s.subjects))
	for i := range s.subjects {
		names[i] = s.subjects[i].name
	}
	return names
}

// due returns when a subject's change may be raised, or false if there is none.
func (s *States) due(u *subject) (at fsm.Millis, ok bool) {
	return s.Rate.free(u.spent, u.since+s.Hold), u.now != u.told
}

// Due returns when the next event is due, or false if there is none.
func (s *States) Due() (at fsm.Millis, ok bool) {
	for i := range s.subjects {
		if when, is := s.due(&s.subjects[i]); is && (!ok || when < at) {
			at, ok = when, true
		}
	}
	return at, ok
}

// Take returns the event that has been due longest, which counts as told from now on.
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

// Return takes back an event that was taken and is not raised: as if it had not been, what has been
// seen since included.
func (s *States) Return(c Change) {
	i, known := s.find(c.Subject)
	if !known {
		return
	}
	u := &s.subjects[i]
	u.told, u.turns, u.spent = c.From, u.turns+1+c.Unsaid, u.spent.less()
}
