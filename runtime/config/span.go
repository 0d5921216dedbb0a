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

// spanMax is the longest span.
const spanMax = 24 * time.Hour

// Read implements [strict.Reader].
func (s *Span) Read(d *strict.Decoder, n *strict.Node, path string) {
	span, err := parseDuration(n.Value)
	switch {
	case !n.Scalar():
		d.Add(n, path, "wants a duration such as 60s, found "+n.String())
	case err != nil:
		d.Add(n, path, err.Error())
	case span == 0 || span > spanMax:
		d.Add(n, path, formatDuration(span)+" is out of range; the least is 1ms, the most is 24h")
	}
	*s = Span(span)
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
