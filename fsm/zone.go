package fsm

import "strconv"

// Zone is what the machine knows of a zone of local time (HND-48): it has no zone database.
// The zero value is UTC. It is never changed in place.
type Zone struct {
	Name    string   `json:"name"`             // Europe/Berlin, or +02:00
	Offset  int      `json:"offset,omitempty"` // seconds east of UTC before the first change
	Changes []Change `json:"changes,omitempty"`
}

// Change is a time at which a zone's clocks change. A zone has them in order; the last
// holds for ever.
type Change struct {
	At     Millis `json:"at"`
	Offset int    `json:"offset"` // seconds east of UTC from then on
}

// OffsetAt returns how far local time is ahead of UTC at a time.
func (z *Zone) OffsetAt(t Millis) Millis {
	offset := z.Offset
	for i := range z.Changes {
		if z.Changes[i].At > t {
			break
		}
		offset = z.Changes[i].Offset
	}
	return Millis(offset) * Second
}

// Local returns a time as the zone's clocks show it, counted like a time in UTC.
func (z *Zone) Local(t Millis) Millis { return t + z.OffsetAt(t) }

// UTC returns when the zone's clocks show a local time: the first time if they show it
// twice, and the end of the gap if they never do.
func (z *Zone) UTC(local Millis) Millis {
	t := local - Millis(z.Offset)*Second
	for i := range z.Changes {
		c := z.Changes[i]
		if t < c.At {
			break
		}
		t = max(local-Millis(c.Offset)*Second, c.At)
	}
	return t
}

// next returns the first change after a time, or false.
func (z *Zone) next(t Millis) (Change, bool) {
	for i := range z.Changes {
		if z.Changes[i].At > t {
			return z.Changes[i], true
		}
	}
	return Change{}, false
}

// Span returns how long the zone's offset stays as it is at a time: until, or for ever if
// ends is false.
func (z *Zone) Span(t Millis) (until Millis, ends bool) {
	c, ok := z.next(t)
	return c.At, ok
}

// Stamp formats a time as the zone's clocks show it, with the zone and the day of the week.
func (z *Zone) Stamp(t Millis) string {
	if z.IsUTC() {
		return t.Stamp()
	}
	local := z.Local(t)
	place := "UTC" + z.OffsetText(t)
	if z.Name != z.OffsetText(t) {
		place = z.Name + " (" + place + ")"
	}
	return local.Date() + " " + place + ", " + local.weekday()
}

// OffsetText returns how far local time is ahead of UTC at a time, as +01:00.
func (z *Zone) OffsetText(t Millis) string { return offsetText(z.OffsetAt(t)) }

// IsUTC reports whether the zone's time is UTC.
func (z *Zone) IsUTC() bool { return z.Offset == 0 && len(z.Changes) == 0 }

// offsetText formats an offset as +01:00.
func offsetText(offset Millis) string {
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	minutes := int64(offset / (60 * Second))
	return sign + two(minutes/60) + ":" + two(minutes%60)
}

// ParseOffset reads Z or an offset such as +01:00, +0100 or -3, as a zone.
func ParseOffset(s string) (Zone, bool) {
	if s == "Z" || s == "z" || s == "UTC" {
		return Zone{Name: "UTC"}, true
	}
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return Zone{}, false
	}
	digits := s[1:]
	if len(digits) == 5 && digits[2] == ':' {
		digits = digits[:2] + digits[3:]
	}
	if len(digits) <= 2 {
		digits += "00"
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || len(digits) < 3 || len(digits) > 4 || n%100 > 59 || n/100 > 14 {
		return Zone{}, false
	}
	seconds := int(n/100)*3600 + int(n%100)*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return Zone{Name: offsetText(Millis(seconds) * Second), Offset: seconds}, true
}

func (z *Zone) hash(x *Hasher) {
	x.Str(z.Name)
	x.Word(uint64(z.Offset))
	for _, c := range z.Changes {
		x.Word(uint64(c.At))
		x.Word(uint64(c.Offset))
	}
}
