package cron

import "shelly/fsm"

// Next returns the slot that a schedule asks for: the first one after From or, if slots
// after From have passed, the latest of these (HND-43). It returns false if there is none.
// It alone defines what a schedule means, also for those that perform the effect.
func Next(e fsm.ArmSchedule, now fsm.Millis) (slot fsm.Millis, ok bool) {
	if !datable(now) || !datable(e.From) {
		return 0, false
	}
	switch {
	case e.Every > 0:
		passed := max(now-e.From, 0) / e.Every
		if passed == 0 {
			return e.From + e.Every, e.Every <= lastSlot-e.From
		}
		return e.From + passed*e.Every, true
	case e.Once != 0:
		return e.Once, e.Once > e.From
	}
	c, bad := parse(e.Cron)
	if bad != nil {
		return 0, false
	}
	first, ok := c.next(&e.Zone, e.From)
	if ok && first <= now {
		return c.latest(&e.Zone, first, now), true
	}
	return first, ok
}

// Back returns a schedule's arming as it is once the clock was set back over at least one
// of its slots before From (HND-65): counted from the present, or for an interval from the
// last of its slots that has passed. It returns false if no slot lies between now and From.
func Back(e fsm.ArmSchedule, now fsm.Millis) (fsm.ArmSchedule, bool) {
	if e.Once != 0 || now >= e.From || !datable(now) || !datable(e.From) || e.Every >= e.From-now {
		return e, false
	}
	back := e
	back.From = now
	if e.Every > 0 {
		back.From = e.From - (e.From-now+e.Every-1)/e.Every*e.Every
	}
	slot, ok := Next(back, now)
	if !ok || slot >= e.From {
		return e, false
	}
	return back, true
}

// Awaited returns the slot that a schedule awaits: that of [Next], or of [Back] if the clock
// was set back.
func Awaited(e fsm.ArmSchedule, now fsm.Millis) (slot fsm.Millis, ok bool) {
	e, _ = Back(e, now)
	return Next(e, now)
}

// Arming returns the effect that asks for a schedule's next slot. If no boot brings its
// zone any more, the first known one is used: the slots go on at the times of day that were
// asked for.
func Arming(zones []fsm.Zone, s fsm.Schedule) fsm.ArmSchedule {
	e := fsm.ArmSchedule{Schedule: s.ID, Every: s.Every, Cron: s.Cron, Once: s.Once, From: s.Last}
	if s.Zone != "" {
		zone, ok := ZoneNamed(zones, s.Zone)
		if !ok {
			zone, _ = ZoneNamed(zones, "")
		}
		e.Zone = zone
	}
	return e
}

// Problem returns what is wrong with a schedule's expression, as a word and its arguments,
// or false if it has slots after a time.
func Problem(expr string, zone *fsm.Zone, after fsm.Millis) (word fsm.Word, args []string, bad bool) {
	c, wrong := parse(expr)
	if wrong != nil {
		return wrong.word, wrong.args, true
	}
	_, ok := c.next(zone, after)
	return fsm.WordCronNever, nil, !ok
}

// lastSlot is the end of the year 9999, after which there are no slots.
const lastSlot fsm.Millis = 253402300799999

func datable(t fsm.Millis) bool { return -lastSlot <= t && t <= lastSlot }

// next returns the first slot after a time, in a zone (HND-48).
func (c expression) next(z *fsm.Zone, t fsm.Millis) (fsm.Millis, bool) {
	if c.everyHour {
		return c.elapsed(z, t)
	}
	// Later local times are never earlier in UTC, so the first one after t is the slot.
	for local := z.Local(t) - 1; ; {
		slot, ok := c.after(local)
		if !ok {
			return 0, false
		}
		if at := z.UTC(slot); at > t {
			return at, true
		}
		local = slot
	}
}

// elapsed is next for an expression of every hour: an hour that clocks show twice has its
// slots twice, and one that they skip has none.
func (c expression) elapsed(z *fsm.Zone, t fsm.Millis) (fsm.Millis, bool) {
	for {
		offset := z.OffsetAt(t)
		slot, ok := c.after(t + offset)
		until, ends := z.Span(t)
		if !ends || ok && slot-offset < until {
			return slot - offset, ok
		}
		if t = until; c.at(z.Local(t)) { // the change itself may be a slot
			return t, true
		}
	}
}

// latest returns the last slot up to a time, given an earlier one. It searches by
// bisection: a slot after a time and up to t exists before the last slot, and none from
// then on.
func (c expression) latest(z *fsm.Zone, slot, t fsm.Millis) fsm.Millis {
	for low, high := slot, t; low < high; {
		middle := low + (high-low)/2
		if next, ok := c.next(z, middle); ok && next <= t {
			low, slot = next, next
		} else {
			high = middle
		}
	}
	return slot
}

// after returns the first minute after a time that the fields name, from 1970 to the year
// 9999.
func (c expression) after(t fsm.Millis) (fsm.Millis, bool) {
	first := int64(0)
	if t >= 0 {
		first = int64(t/minuteMillis) + 1
	}
	begin := first / dayMinutes
	for day := begin; day <= begin+daysMax && day <= int64(lastSlot/dayMillis); day++ {
		if !c.onDay(day) {
			continue
		}
		for m := max(first-day*dayMinutes, 0); m < dayMinutes; m++ {
			if c.inDay(m) {
				return fsm.Millis(day*dayMinutes+m) * minuteMillis, true
			}
		}
	}
	return 0, false
}

// at reports whether the fields name a time.
func (c expression) at(t fsm.Millis) bool {
	minute := int64(t / minuteMillis)
	return t >= 0 && t%minuteMillis == 0 && c.onDay(minute/dayMinutes) && c.inDay(minute%dayMinutes)
}

func (c expression) inDay(minute int64) bool {
	return c.hours>>(minute/60)&1 == 1 && c.minutes>>(minute%60)&1 == 1
}

// onDay reports whether a day, counted from 1970-01-01, has slots. As in crontab, if both
// the day of the month and the day of the week are restricted, either will do.
func (c expression) onDay(days int64) bool {
	_, month, day := fsm.Civil(days)
	weekday := (days + 4) % 7 // 1970-01-01 was a Thursday
	inMonth, inWeek := c.days>>day&1 == 1, c.weekdays>>weekday&1 == 1
	switch {
	case c.months>>month&1 == 0:
		return false
	case c.anyDay || c.anyWeekday:
		return inMonth && inWeek
	default:
		return inMonth || inWeek
	}
}
