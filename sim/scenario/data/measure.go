package data

import (
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

// Measured reads a text as a duration or a time, whichever it is.
func Measured(text string) (nanos int64, m measure) {
	if d, err := time.ParseDuration(text); err == nil {
		return int64(d), ADuration
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UnixNano(), AnInstant
	}
	return 0, NoMeasure
}

// CompareMeasures compares two texts that measure the same.
func CompareMeasures(a, b string) (c int, ok bool) {
	x, m := Measured(a)
	y, n := Measured(b)
	return compare(x, y), m == n && m != NoMeasure
}
