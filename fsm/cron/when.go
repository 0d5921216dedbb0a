package cron

import (
	"strconv"
	"strings"

	"shelly/fsm"
)

// When reads one time as people say it (HND-48): as [ParseAt] does; a time of day such as 17:30 or 9 pm, the
// next one in the zone, or that of today, tomorrow or a day of the week; or how long it is from now, such
// as 20m or in 2 days, at most ten years.
func When(text string, zone *fsm.Zone, now fsm.Millis) (fsm.Millis, bool) {
	if at, ok := ParseAt(withoutFraction(strings.ToUpper(strings.TrimSpace(text))), zone); ok {
		return at, true
	}
	words := strings.Fields(strings.ToLower(text))
	if at, ok := fromNow(words, zone, now); ok {
		return at, true
	}
	return ofDay(words, zone, now)
}

// withoutFraction returns a time without the parts of a second that programs write.
func withoutFraction(text string) string {
	const seconds = len("2026-01-31T09:00:00")
	if len(text) <= seconds || text[seconds] != '.' {
		return text
	}
	return text[:seconds] + strings.TrimLeft(text[seconds+1:], digits)
}

const digits = "0123456789"

// aheadMax is the longest time from now: the changes of a zone's clocks are known for ten years.
const aheadMax = 10 * 366 * dayMillis

// fromNow reads how long it is from now: numbers with units. Days and weeks are those of the zone, some of which
// are longer than others.
func fromNow(words []string, zone *fsm.Zone, now fsm.Millis) (fsm.Millis, bool) {
	if len(words) > 0 && (words[0] == "in" || words[0] == "after") {
		words = words[1:]
	}
	left := strings.TrimPrefix(strings.Join(words, ""), "+")
	if len(words) > 1 && (words[0] == "a" || words[0] == "an") { // an hour
		left = "1" + strings.Join(words[1:], "")
	}
	var days, rest fsm.Millis
	for left != "" {
		unit := strings.TrimLeft(left, digits)
		n, err := strconv.Atoi(left[:len(left)-len(unit)])
		end := strings.IndexAny(unit, digits)
		if end < 0 {
			end = len(unit)
		}
		unit, left = strings.Trim(unit[:end], ","), unit[end:]
		length := lengthOf(strings.TrimSuffix(unit, "and"))
		if err != nil || length == 0 || fsm.Millis(n) > aheadMax/length {
			return 0, false
		}
		if length >= dayMillis {
			days += fsm.Millis(n) * length
		} else {
			rest += fsm.Millis(n) * length
		}
	}
	if days+rest == 0 || days+rest > aheadMax {
		return 0, false
	}
	if days > 0 {
		now = zone.UTC(zone.Local(now) + days)
	}
	return now + rest, true
}

// lengthOf returns the length of a unit, or 0.
func lengthOf(unit string) fsm.Millis {
	switch unit {
	case "s", "sec", "secs", "second", "seconds":
		return fsm.Second
	case "m", "min", "mins", "minute", "minutes":
		return minuteMillis
	case "h", "hr", "hrs", "hour", "hours":
		return 60 * minuteMillis
	case "d", "day", "days":
		return dayMillis
	case "w", "week", "weeks":
		return 7 * dayMillis
	default:
		return 0
	}
}

// ofDay reads a time of day, before or after the day if one is named.
func ofDay(words []string, zone *fsm.Zone, now fsm.Millis) (fsm.Millis, bool) {
	local := zone.Local(now)
	today := local - (local%dayMillis+dayMillis)%dayMillis
	clock, ahead, again := "", 0, 1 // how many days ahead, and how many more if that has passed
	for named := false; len(words) > 0; words = words[1:] {
		days, more, ok := dayNamed(words[0], today)
		switch {
		case ok && named:
			return 0, false
		case ok:
			ahead, again, named = days, more, true
		case words[0] != "at" && words[0] != "on":
			clock += words[0]
		}
	}
	time, ok := timeOfDay(clock)
	at := zone.UTC(today + fsm.Millis(ahead)*dayMillis + time)
	if at <= now {
		at = zone.UTC(today + fsm.Millis(ahead+again)*dayMillis + time)
	}
	return at, ok
}

// dayNamed returns how many days ahead a day is, and how many days after it the next of its name; 0: none.
func dayNamed(word string, today fsm.Millis) (ahead, again int, ok bool) {
	switch word {
	case "today", "tonight":
		return 0, 0, true
	case "tomorrow":
		return 1, 0, true
	}
	for i, name := range [7]string{"thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"} { // 1970-01-01 was the first
		if word == name || word == name[:3] {
			days := int(today / dayMillis)
			return ((i-days)%7 + 7) % 7, 7, true
		}
	}
	return 0, 0, false
}

// timeOfDay reads 17:30, 17:30:15, 5:30pm or 5pm.
func timeOfDay(text string) (fsm.Millis, bool) {
	text = strings.ReplaceAll(text, ".", "") // a.m.
	clock, half := text, ""
	if n := len(text) - len("am"); n > 0 && (text[n:] == "am" || text[n:] == "pm") {
		clock, half = text[:n], text[n:]
	}
	parts := strings.Split(clock, ":")
	if len(parts) > 3 || len(parts) == 1 && half == "" {
		return 0, false
	}
	var time fsm.Millis
	for i, unit := range []fsm.Millis{60 * minuteMillis, minuteMillis, fsm.Second}[:len(parts)] {
		n, err := strconv.ParseUint(parts[i], 10, 8)
		if err != nil || n > 59 || len(parts[i]) > 2 || i > 0 && len(parts[i]) < 2 {
			return 0, false
		}
		time += fsm.Millis(n) * unit
	}
	hour := time / (60 * minuteMillis)
	switch {
	case half == "" && hour > 23, half != "" && (hour < 1 || hour > 12):
		return 0, false
	case half == "am" && hour == 12:
		time -= 12 * 60 * minuteMillis
	case half == "pm" && hour < 12:
		time += 12 * 60 * minuteMillis
	}
	return time, true
}
