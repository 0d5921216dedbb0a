package state

import (
	"slices"
	"strconv"
	"testing"
)

// SES-23: the oldest message gives way, of its session if that has three, else of all.
func TestSES23TheOldestGivesWay(t *testing.T) {
	texts := func(s *Snapshot) (all []string) {
		for _, said := range s.Said {
			all = append(all, said.Session+said.Text)
		}
		return all
	}
	var s Snapshot
	for n := range 5 {
		s.Say(Said{Session: "a", Text: strconv.Itoa(n)})
		if n < 2 {
			s.Say(Said{Session: "b", Text: strconv.Itoa(n)})
		}
	}
	before := s.Clone()
	if got, want := texts(&s), []string{"b0", "b1", "a2", "a3", "a4"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for n := range 59 {
		s.Say(Said{Session: "c" + strconv.Itoa(n)})
	}
	s.Say(Said{Session: "b", Text: "2"})
	if got := texts(&s); len(got) != 64 || got[0] != "b1" || got[63] != "b2" {
		t.Errorf("got %d, from %s to %s", len(got), got[0], got[63])
	}
	if got := s.SaidIn("b"); len(got) != 2 || got[0].Text != "1" {
		t.Errorf("the session b hears %+v", got)
	}
	s.Heard("b")
	if got := len(s.SaidIn("b")); got != 0 || len(s.Said) != 62 {
		t.Errorf("after it has heard them, %d are left of it and %d of all", got, len(s.Said))
	}
	if got := texts(&before); got[0] != "b0" || len(got) != 5 {
		t.Errorf("the copy has changed: %v", got)
	}
}
