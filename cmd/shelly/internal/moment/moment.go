// Package moment parses and formats points in time for the command line.
package moment

import (
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
)

// Now returns the time of the clock.
func Now() fsm.Millis { return fsm.Millis(time.Now().UnixMilli()) }

// Local returns a time in the user's zone.
func Local(at fsm.Millis) time.Time { return time.UnixMilli(int64(at)) }

// Clock returns a time in the user's zone as a table shows it; unknown stands for 0.
func Clock(at fsm.Millis, unknown string) string {
	if at == 0 {
		return unknown
	}
	return Local(at).Format(time.DateTime)
}

// Zoned returns a time as Clock does, with the zone that it is in: for a time beside one that may be
// in another zone, such as a schedule's (CLI-215).
func Zoned(at fsm.Millis, unknown string) string {
	if at == 0 {
		return unknown
	}
	return Local(at).Format(time.DateTime + " MST")
}

// layouts are those in which a time may be given: as the tables show it, as schedule add takes it, and
// as JSON has it. Without a zone it is in the user's.
func layouts() []string {
	return []string{
		time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02T15:04:05",
		"2006-01-02T15:04Z07:00", time.RFC3339,
	}
}

// At parses a flag that gives an age (90s, 12h, 7d), a date or a time, and returns that time; 0
// if the flag is not given. A time before 1970 counts as its first millisecond: nothing is
// older, and 0 or less would mean no bound. Its error has an exit code.
func At(flag, text string) (fsm.Millis, error) {
	if text == "" {
		return 0, nil
	}
	if d, ok := age(text); ok {
		return max(Now()-fsm.Millis(d.Milliseconds()), 1), nil
	}
	for _, layout := range layouts() {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return max(fsm.Millis(at.UnixMilli()), 1), nil
		}
	}
	return 0, exit.Errorf(exit.Usage, "%s: %q is neither a time such as 2026-01-31 or 2026-01-31T09:00 nor an age such as 7d or 12h", flag, text)
}

func age(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n >= 0 && n <= 36500
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= 0
}
