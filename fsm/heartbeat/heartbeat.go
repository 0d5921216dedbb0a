// Package heartbeat says which beats of a heartbeat are in quiet hours, and which are
// greetings (EVT-21, EVT-22). It compares the times of slots and inputs, which are in the
// journal; it uses neither a clock nor random numbers.
package heartbeat

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

const (
	minute = 60 * fsm.Second
	day    = 24 * 60 * minute
)

// Quiet reports whether a time is in quiet hours as a zone's clocks show them. An hour that
// the clocks show twice counts twice, and one that they skip does not count.
func Quiet(q fsm.Quiet, z *fsm.Zone, t fsm.Millis) bool {
	now := int(ofDay(z.Local(t)) / minute)
	switch {
	case q.From == q.Until:
		return false
	case q.From < q.Until:
		return q.From <= now && now < q.Until
	default:
		return q.From <= now || now < q.Until
	}
}

// ofDay returns the time since midnight.
func ofDay(local fsm.Millis) fsm.Millis { return ((local % day) + day) % day }

// Day numbers the days of a zone's calendar.
func Day(z *fsm.Zone, t fsm.Millis) int64 {
	local := z.Local(t)
	return int64((local - ofDay(local)) / day)
}

// Greets reports whether a beat is a greeting: the last request and the last greeting are
// long enough ago, there were not too many greetings that day, and the slot's number is
// within the chance.
func Greets(g fsm.Greeting, b state.Beat, z *fsm.Zone, slot fsm.Millis) bool {
	today := 0
	if b.Day == Day(z, slot) {
		today = b.Greeted
	}
	return g.Idle > 0 && slot-max(b.Spoke, b.Greets) >= g.Idle && today < g.PerDay && chance(slot) < int(g.Chance)
}

// chance returns a number from 0 to 99, always the same for a slot.
func chance(slot fsm.Millis) int {
	x := fsm.NewHasher(0)
	x.Word(uint64(slot))
	return int(x.Sum() % 100)
}
