package cron

import (
	"strconv"
	"strings"

	"shelly/fsm"
)

// Next returns the slot that a schedule asks for: the first after From that is to
// come or, where slots after From have passed, the latest that has (HND-43). It
// returns false where there is none. It is the one meaning of a schedule, for
// whoever performs the effect.
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
	first, ok := c.after(e.From)
	if ok && first <= now {
		return c.between(first, now), true
	}
	return first, ok
}

// lastSlot is the end of the year 9999, after which there are no slots.
const lastSlot fsm.Millis = 253402300799999

func datable(t fsm.Millis) bool { return -lastSlot <= t && t <= lastSlot }

// expression is five fields, in UTC. A set has bit n for the number n.
type expression struct {
	minutes, hours, days, months, weekdays uint64
	anyDay, anyWeekday                     bool
}

const (
	minuteMillis = 60 * fsm.Second
	dayMillis    = 86400 * fsm.Second
	dayMinutes   = 24 * 60
	// daysMax bounds the search for a slot. The longest that one can be off is
	// that of a 29 February on one day of the week, over a century without one.
	daysMax = 40*366 + 1
)

// phrase is a word with its arguments: no epoch's texts are at hand here.
type phrase struct {
	word fsm.Word
	args []string
}

// parse reads five fields of numbers, ranges, steps and lists. What is wrong is
// returned as a phrase.
func parse(text string) (c expression, bad *phrase) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return expression{}, &phrase{word: fsm.WordCronFields}
	}
	for i, f := range []struct {
		name     string
		set      *uint64
		low, top int
	}{
		{"minute", &c.minutes, 0, 59}, {"hour", &c.hours, 0, 23}, {"day", &c.days, 1, 31},
		{"month", &c.months, 1, 12}, {"weekday", &c.weekdays, 0, 7},
	} {
		set, ok := setOf(fields[i], f.low, f.top)
		if !ok {
			return expression{}, &phrase{fsm.WordCronField, []string{
				"field", f.name, "low", strconv.Itoa(f.low), "top", strconv.Itoa(f.top), "text", strconv.Quote(fsm.Clip(fields[i], 100)),
			}}
		}
		*f.set = set
	}
	if c.weekdays>>7&1 == 1 { // Sunday has two numbers
		c.weekdays |= 1
	}
	c.anyDay, c.anyWeekday = strings.HasPrefix(fields[2], "*"), strings.HasPrefix(fields[4], "*")
	return c, nil
}

// Problem returns what is wrong with a schedule's expression, as a word and its
// arguments; false where it has slots after a time.
func Problem(expr string, after fsm.Millis) (word fsm.Word, args []string, bad bool) {
	c, wrong := parse(expr)
	if wrong != nil {
		return wrong.word, wrong.args, true
	}
	_, ok := c.after(after)
	return fsm.WordCronNever, nil, !ok
}

// setOf reads one field.
func setOf(field string, low, top int) (set uint64, ok bool) {
	for _, part := range strings.Split(field, ",") {
		span, every, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, ok = number(every); !ok || step == 0 {
				return 0, false
			}
		}
		from, to := low, top
		if span != "*" {
			first, last, ranged := strings.Cut(span, "-")
			if from, ok = number(first); !ok {
				return 0, false
			}
			switch {
			case ranged:
				if to, ok = number(last); !ok {
					return 0, false
				}
			case !stepped:
				to = from
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

// number reads a number of one or two digits.
func number(s string) (n int, ok bool) {
	if len(s) == 0 || len(s) > 2 {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// after returns the first slot after a time, from 1970 to the year 9999.
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

// between returns the latest slot up to a time, given an earlier one.
func (c expression) between(slot, t fsm.Millis) fsm.Millis {
	last := int64(t / minuteMillis)
	for day := last / dayMinutes; day >= int64(slot/dayMillis); day-- {
		if !c.onDay(day) {
			continue
		}
		for m := min(last-day*dayMinutes, dayMinutes-1); m >= 0; m-- {
			if c.inDay(m) {
				return fsm.Millis(day*dayMinutes+m) * minuteMillis
			}
		}
	}
	return slot
}

func (c expression) inDay(minute int64) bool {
	return c.hours>>(minute/60)&1 == 1 && c.minutes>>(minute%60)&1 == 1
}

// onDay reports whether a day, counted from 1970-01-01, has slots. As crontab has
// it, where both the day of the month and that of the week are restricted either
// will do.
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
