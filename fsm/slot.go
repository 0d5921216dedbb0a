package fsm

import (
	"strconv"
	"strings"
)

// Next returns the slot that a schedule asks for: the first after From that is to
// come or, where slots after From have passed, the latest that has (HND-43). It
// returns false where there is none. It is the one meaning of a schedule, for
// whoever performs the effect.
func (e ArmSchedule) Next(now Millis) (slot Millis, ok bool) {
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
	c, bad := parseCron(e.Cron)
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
const lastSlot Millis = 253402300799999

func datable(t Millis) bool { return -lastSlot <= t && t <= lastSlot }

// cron is five fields, in UTC. A set has bit n for the number n.
type cron struct {
	minutes, hours, days, months, weekdays uint64
	anyDay, anyWeekday                     bool
}

const (
	minuteMillis = 60 * Second
	dayMinutes   = 24 * 60
	// cronDaysMax bounds the search for a slot. The longest that one can be off is
	// that of a 29 February on one day of the week, over a century without one.
	cronDaysMax = 40*366 + 1
)

// parseCron reads five fields of numbers, ranges, steps and lists. What is wrong is
// returned as a phrase.
func parseCron(text string) (c cron, bad *phrase) {
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return cron{}, &phrase{word: WordCronFields}
	}
	for i, f := range []struct {
		name     string
		set      *uint64
		low, top int
	}{
		{"minute", &c.minutes, 0, 59}, {"hour", &c.hours, 0, 23}, {"day", &c.days, 1, 31},
		{"month", &c.months, 1, 12}, {"weekday", &c.weekdays, 0, 7},
	} {
		set, ok := cronSet(fields[i], f.low, f.top)
		if !ok {
			return cron{}, &phrase{WordCronField, []string{
				"field", f.name, "low", strconv.Itoa(f.low), "top", strconv.Itoa(f.top), "text", strconv.Quote(Clip(fields[i], 100)),
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

// CronProblem returns what is wrong with a schedule's expression, as a word and its
// arguments; false where it has slots after a time.
func CronProblem(expr string, after Millis) (word Word, args []string, bad bool) {
	c, wrong := parseCron(expr)
	if wrong != nil {
		return wrong.word, wrong.args, true
	}
	_, ok := c.after(after)
	return WordCronNever, nil, !ok
}

// cronSet reads one field.
func cronSet(field string, low, top int) (set uint64, ok bool) {
	for _, part := range strings.Split(field, ",") {
		span, every, stepped := strings.Cut(part, "/")
		step := 1
		if stepped {
			if step, ok = cronNumber(every); !ok || step == 0 {
				return 0, false
			}
		}
		from, to := low, top
		if span != "*" {
			first, last, ranged := strings.Cut(span, "-")
			if from, ok = cronNumber(first); !ok {
				return 0, false
			}
			switch {
			case ranged:
				if to, ok = cronNumber(last); !ok {
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

// cronNumber reads a number of one or two digits.
func cronNumber(s string) (n int, ok bool) {
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
func (c cron) after(t Millis) (Millis, bool) {
	first := int64(0)
	if t >= 0 {
		first = int64(t/minuteMillis) + 1
	}
	begin := first / dayMinutes
	for day := begin; day <= begin+cronDaysMax && day <= int64(lastSlot/dayMillis); day++ {
		if !c.onDay(day) {
			continue
		}
		for m := max(first-day*dayMinutes, 0); m < dayMinutes; m++ {
			if c.inDay(m) {
				return Millis(day*dayMinutes+m) * minuteMillis, true
			}
		}
	}
	return 0, false
}

// between returns the latest slot up to a time, given an earlier one.
func (c cron) between(slot, t Millis) Millis {
	last := int64(t / minuteMillis)
	for day := last / dayMinutes; day >= int64(slot/dayMillis); day-- {
		if !c.onDay(day) {
			continue
		}
		for m := min(last-day*dayMinutes, dayMinutes-1); m >= 0; m-- {
			if c.inDay(m) {
				return Millis(day*dayMinutes+m) * minuteMillis
			}
		}
	}
	return slot
}

func (c cron) inDay(minute int64) bool {
	return c.hours>>(minute/60)&1 == 1 && c.minutes>>(minute%60)&1 == 1
}

// onDay reports whether a day, counted from 1970-01-01, has slots. As crontab has
// it, where both the day of the month and that of the week are restricted either
// will do.
func (c cron) onDay(days int64) bool {
	_, month, day := civil(days)
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
