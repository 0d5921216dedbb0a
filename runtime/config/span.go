package config

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Span is a duration in a map by name.
type Span time.Duration

// Or returns the duration, or d if none is set.
func (s Span) Or(d time.Duration) time.Duration {
	if s == 0 {
		return d
	}
	return time.Duration(s)
}

// The bounds of a span, and of how long files settle.
const (
	spanMin   = time.Millisecond
	spanMax   = 24 * time.Hour
	settleMin = 100 * time.Millisecond
	settleMax = time.Hour
)

// Read implements [strict.Reader].
func (s *Span) Read(d *strict.Decoder, n *strict.Node, path string) {
	*s = readSpan(d, n, path, spanMin, spanMax)
}

// Settling is how long there must be no change of files, in a map by name.
type Settling struct{ Span }

// Read implements [strict.Reader].
func (s *Settling) Read(d *strict.Decoder, n *strict.Node, path string) {
	s.Span = readSpan(d, n, path, settleMin, settleMax)
}

func readSpan(d *strict.Decoder, n *strict.Node, path string, least, most time.Duration) Span {
	span, err := parseDuration(n.Value)
	switch {
	case !n.Scalar():
		d.Add(n, path, "wants a duration such as 60s, found "+n.String())
	case err != nil:
		d.Add(n, path, err.Error())
	case span < least || span > most:
		d.Add(n, path, formatDuration(span)+" is out of range; the least is "+formatDuration(least)+", the most is "+formatDuration(most))
	}
	return Span(span)
}

func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && regexp.MustCompile(`^[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|ns))+$`).MatchString(text):
		return 0, fmt.Errorf("%s is too large", wording.Clip(text, wording.ShownMax))
	case err != nil:
		return 0, fmt.Errorf("wants a duration such as 60s or 5m, not %s%s", wording.Quote(text), wording.Days(text))
	case d < 0:
		return 0, fmt.Errorf("%s is negative", wording.Clip(text, wording.ShownMax))
	case d%time.Millisecond != 0:
		return 0, fmt.Errorf("%s is finer than a millisecond", wording.Clip(text, wording.ShownMax))
	}
	return d, nil
}

// formatDuration writes a duration in its largest whole unit among hours,
// seconds and milliseconds, as the machine's own messages do.
func formatDuration(d time.Duration) string {
	switch {
	case d != 0 && d%time.Hour == 0:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	case d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	default:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
}
