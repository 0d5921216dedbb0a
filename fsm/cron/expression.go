package cron

import (
	"strconv"
	"strings"

	"shelly/fsm"
)

// expression is the five fields, for local time. A set has bit n for the number n.
type expression struct {
	minutes, hours, days, months, weekdays uint64
	anyDay, anyWeekday                     bool
	everyHour                              bool // the field of hours is *
}

const (
	minuteMillis = 60 * fsm.Second
	dayMillis    = 86400 * fsm.Second
	dayMinutes   = 24 * 60
	// daysMax bounds the search for a slot. The rarest is a 29 February on one day of the
	// week, across a year such as 2100 that has none.
	daysMax = 40*366 + 1
)

// phrase is a word with its arguments, because an epoch's texts are not known here.
type phrase struct {
	word fsm.Word
	args []string
}

// shorthand returns the expression of a name such as @daily, or any other text as it is.
func shorthand(text string) string {
	switch strings.ToLower(text) {
	case "@hourly":
		return "0 * * * *"
	case "@daily", "@midnight":
		return "0 0 * * *"
	case "@weekly":
		return "0 0 * * 0"
	case "@monthly":
		return "0 0 1 * *"
	case "@yearly", "@annually":
		return "0 0 1 1 *"
	}
	return text
}

const (
	monthNames   = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	weekdayNames = "SUNMONTUEWEDTHUFRISAT"
)

// parse reads five fields of numbers, names, ranges, steps and lists. If something is wrong
// it returns a phrase.
func parse(text string) (c expression, bad *phrase) {
	fields := strings.Fields(shorthand(strings.TrimSpace(text)))
	if len(fields) != 5 {
		return expression{}, &phrase{word: fsm.WordCronFields}
	}
	for i, f := range []struct {
		name     string
		set      *uint64
		low, top int
		names    string
	}{
		{"minute", &c.minutes, 0, 59, ""}, {"hour", &c.hours, 0, 23, ""}, {"day", &c.days, 1, 31, ""},
		{"month", &c.months, 1, 12, monthNames}, {"weekday", &c.weekdays, 0, 7, weekdayNames},
	} {
		set, ok := setOf(fields[i], f.low, f.top, f.names)
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
	c.everyHour = fields[1] == "*"
	return c, nil
}

// setOf reads one field.
func setOf(field string, low, top int, names string) (set uint64, ok bool) {
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
			if from, ok = named(first, low, names); !ok {
				return 0, false
			}
			switch {
			case ranged:
				if to, ok = named(last, low, names); !ok {
					return 0, false
				}
			case !stepped:
				to = from
			}
			if ranged && to == 0 && top == 7 { // SAT-SUN
				to = 7
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

// named reads a number, or a day or month by its first three letters.
func named(s string, low int, names string) (n int, ok bool) {
	if n, ok = number(s); ok || names == "" {
		return n, ok
	}
	full := strings.ToUpper(s)
	if len(full) < 3 { // compared only now: ſ becomes S, which is shorter
		return 0, false
	}
	i := strings.Index(names, full[:3]) // within two names, it begins neither of them
	return i/3 + low, i >= 0 && strings.HasPrefix(fullNames(names)[i/3], full)
}

// fullNames returns the names that three letters stand for.
func fullNames(names string) []string {
	if names == weekdayNames {
		return []string{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"}
	}
	return []string{"JANUARY", "FEBRUARY", "MARCH", "APRIL", "MAY", "JUNE", "JULY", "AUGUST", "SEPTEMBER", "OCTOBER", "NOVEMBER", "DECEMBER"}
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
