package scenario

import (
	"time"

	"shelly/fsm"
)

// measure is what a text measures, so that it is compared by what it is worth:
// 90s is 1m30s (SCN-34).
type measure int

const (
	noMeasure measure = iota
	aDuration
	anInstant // RFC 3339
)

// durationValue is a length of time.
func durationValue(d fsm.Millis) value {
	return value{kind: textKind, text: d.String(), measure: aDuration}
}

// instantValue is a time in UTC.
func instantValue(at fsm.Millis) value {
	return value{kind: textKind, text: time.UnixMilli(int64(at)).UTC().Format(time.RFC3339Nano), measure: anInstant}
}

// measured reads a text as a duration or a time, whichever it is.
func measured(text string) (nanos int64, m measure) {
	if d, err := time.ParseDuration(text); err == nil {
		return int64(d), aDuration
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t.UnixNano(), anInstant
	}
	return 0, noMeasure
}

// compareMeasures compares two texts that measure the same.
func compareMeasures(a, b string) (c int, ok bool) {
	x, m := measured(a)
	y, n := measured(b)
	return compare(x, y), m == n && m != noMeasure
}

// compares reports whether the matcher's comparison holds for a value. A number is
// compared with a number, a duration with a duration, a time with a time.
func (m *Matcher) compares(v value) bool {
	c, ok := 0, false
	switch {
	case v.kind != m.data.kind:
	case v.kind == numberKind:
		c, ok = compareNumbers(v.text, m.data.text), true
	case v.kind == textKind:
		c, ok = compareMeasures(v.text, m.data.text)
	}
	switch {
	case !ok:
		return false
	case m.op == opGt:
		return c > 0
	case m.op == opGte:
		return c >= 0
	case m.op == opLt:
		return c < 0
	default:
		return c <= 0
	}
}
