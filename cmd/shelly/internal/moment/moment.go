// Package moment reads and shows points in time as the command line has them.
package moment

import (
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
)

// Now is the time by the clock.
func Now() fsm.Millis { return fsm.Millis(time.Now().UnixMilli()) }

// Local is a time where the user is.
func Local(at fsm.Millis) time.Time { return time.UnixMilli(int64(at)) }

// At reads a flag that says how long ago something was (90s, 12h, 7d), or names a date or a
// time, and returns when that was; 0 where it is not given. Its error has its exit code.
func At(flag, text string) (fsm.Millis, error) {
	if text == "" {
		return 0, nil
	}
	if d, ok := age(text); ok {
		return Now() - fsm.Millis(d.Milliseconds()), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return fsm.Millis(at.UnixMilli()), nil
		}
	}
	return 0, exit.Errorf(exit.Usage, "%s: %q is neither a time such as 2026-01-31 nor an age such as 7d or 12h", flag, text)
}

func age(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n >= 0 && n <= 36500
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
