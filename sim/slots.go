package sim

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
)

// arm puts the slot of a schedule on the agenda, in place of the one that it had.
func (w *world) arm(e fsm.ArmSchedule) {
	w.disarm(e.Schedule)
	slot, ok, err := slotOf(e, w.agenda.now)
	if err != nil {
		w.unexpected(fmt.Sprintf("schedule %s: %v", e.Schedule, err))
	}
	if !ok || slot >= never {
		return
	}
	w.agenda.add(due{
		at: max(slot, w.agenda.now), schedule: e.Schedule,
		fact: fsm.ScheduleDue{Schedule: e.Schedule, Slot: slot},
	})
}

func (w *world) disarm(schedule string) {
	w.agenda.drop(func(d due) bool { return d.schedule == "" || d.schedule != schedule })
}

// slotOf returns the slot that a schedule asks for: the first behind From or,
// where that has passed, the latest that has. It returns false where there is
// none.
func slotOf(e fsm.ArmSchedule, now fsm.Millis) (fsm.Millis, bool, error) {
	switch {
	case e.Every > 0:
		return e.From + max(1, (now-e.From)/e.Every)*e.Every, true, nil
	case e.Once != 0:
		return e.Once, e.Once > e.From, nil
	}
	c, err := parseCron(e.Cron)
	if err != nil {
		return 0, false, err
	}
	first, ok := c.after(e.From)
	if ok && first <= now {
		return c.upTo(now), true, nil
	}
	return first, ok, nil
}

// cron is a schedule of five fields in UTC. A set has bit n for the number n.
type cron struct {
	minutes, hours, days, months, weekdays uint64
	anyDay, anyWeekday                     bool
}

const (
	minuteLength = 60 * fsm.Second
	dayMinutes   = 24 * 60
	cronDaysMax  = 8*366 + 1 // to the next leap day, over a century that has none
)

// parseCron reads five fields of numbers, ranges, steps and lists.
func parseCron(text string) (cron, error) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return cron{}, fmt.Errorf("cron %q has %d fields, not five", text, len(fields))
	}
	var c cron
	for i, f := range []struct {
		set      *uint64
		low, top int
	}{{&c.minutes, 0, 59}, {&c.hours, 0, 23}, {&c.days, 1, 31}, {&c.months, 1, 12}, {&c.weekdays, 0, 7}} {
		set, ok := cronSet(fields[i], f.low, f.top)
		if !ok {
			return cron{}, fmt.Errorf("cron %q: field %d is none of numbers from %d to %d, ranges, steps and lists", text, i+1, f.low, f.top)
		}
		*f.set = set
	}
	if c.weekdays>>7&1 == 1 { // Sunday has two numbers
		c.weekdays |= 1
	}
	c.anyDay, c.anyWeekday = strings.HasPrefix(fields[2], "*"), strings.HasPrefix(fields[4], "*")
	return c, nil
}

// cronSet reads one field.
func cronSet(field string, low, top int) (set uint64, ok bool) {
	for _, part := range strings.Split(field, ",") {
		span, every, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			n, err := strconv.Atoi(every)
			if err != nil || n < 1 {
				return 0, false
			}
			step = n
		}
		from, to := low, top
		if span != "*" {
			first, last, ranged := strings.Cut(span, "-")
			n, err := strconv.Atoi(first)
			if err != nil {
				return 0, false
			}
			from = n
			if !stepped {
				to = n
			}
			if ranged {
				if to, err = strconv.Atoi(last); err != nil {
					return 0, false
				}
			}
		}
		if from < low || to > top || from > to {
			return 0, false
		}
		for n := from; n <= to; n += step {
			set |= 1 << n
		}
	}
	return set, true
}

// after returns the first slot behind a time.
func (c cron) after(t fsm.Millis) (fsm.Millis, bool) {
	first := int(t/minuteLength) + 1
	for day := first / dayMinutes; day <= first/dayMinutes+cronDaysMax; day++ {
		if !c.onDay(day) {
			continue
		}
		for m := max(first-day*dayMinutes, 0); m < dayMinutes; m++ {
			if c.inDay(m) {
				return fsm.Millis(day*dayMinutes+m) * minuteLength, true
			}
		}
	}
	return 0, false
}

// upTo returns the latest slot up to a time; there must be one.
func (c cron) upTo(t fsm.Millis) fsm.Millis {
	last := int(t / minuteLength)
	for day := last / dayMinutes; day >= 0; day-- {
		if !c.onDay(day) {
			continue
		}
		for m := min(last-day*dayMinutes, dayMinutes-1); m >= 0; m-- {
			if c.inDay(m) {
				return fsm.Millis(day*dayMinutes+m) * minuteLength
			}
		}
	}
	return 0
}

func (c cron) inDay(minute int) bool {
	return c.hours>>(minute/60)&1 == 1 && c.minutes>>(minute%60)&1 == 1
}

// onDay reports whether a day, counted from the epoch, has slots. As crontab has
// it, where both the day of the month and that of the week are restricted either
// will do.
func (c cron) onDay(day int) bool {
	date := time.UnixMilli(int64(day) * dayMinutes * int64(minuteLength)).UTC()
	inMonth, inWeek := c.days>>date.Day()&1 == 1, c.weekdays>>int(date.Weekday())&1 == 1
	switch {
	case c.months>>int(date.Month())&1 == 0:
		return false
	case c.anyDay || c.anyWeekday:
		return inMonth && inWeek
	default:
		return inMonth || inWeek
	}
}
