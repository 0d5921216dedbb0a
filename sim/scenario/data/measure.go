package data

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"shelly/fsm"
)

// measure is what a text measures, so that it is compared by what it is worth:
// 90s is 1m30s (SCN-34).
type measure int

const (
	NoMeasure measure = iota
	ADuration
	AnInstant // RFC 3339
)

// Duration is a length of time.
func Duration(d fsm.Millis) Value {
	return Value{Kind: TextKind, Text: d.String(), measure: ADuration}
}

// Instant is a time in UTC.
func Instant(at fsm.Millis) Value {
	return Value{Kind: TextKind, Text: time.UnixMilli(int64(at)).UTC().Format(time.RFC3339Nano), measure: AnInstant}
}

// Measured reads a text as a duration, in nanoseconds, or a time, in microseconds since 1970,
// whichever it is: in nanoseconds, times after 2262 would be before others.
func Measured(text string) (amount int64, m measure) {
	if d, err := time.ParseDuration(text); err == nil {
		return int64(d), ADuration
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UnixMicro(), AnInstant
	}
	return 0, NoMeasure
}

// NoTime returns the end of an error about a text that is not a time: what of it there is
// not, such as the 30th of February, else nothing.
func NoTime(text string) string {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04"} {
		_, err := time.Parse(layout, text)
		if wrong, ok := errors.AsType[*time.ParseError](err); ok && strings.HasSuffix(wrong.Message, "out of range") {
			return "; there is no such time" + wrong.Message
		}
	}
	return ""
}

// CompareMeasures compares two texts that measure the same.
func CompareMeasures(a, b string) (c int, ok bool) {
	x, m := Measured(a)
	y, n := Measured(b)
	return cmp.Compare(x, y), m == n && m != NoMeasure
}
