package moment_test

import (
	"testing"
	"time"

	"shelly/cmd/shelly/internal/moment"
	"shelly/fsm"
)

func TestCLI3ATimeIsReadAsItIsShown(t *testing.T) {
	local := func(hour, second int) fsm.Millis {
		return fsm.Millis(time.Date(2026, 1, 31, hour, 0, second, 0, time.Local).UnixMilli())
	}
	utc := fsm.Millis(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC).UnixMilli())
	for text, want := range map[string]fsm.Millis{ // order-free: each is parsed alone
		"2026-01-31": local(0, 0), "2026-01-31 09:00:05": local(9, 5), "2026-01-31 09:00": local(9, 0),
		"2026-01-31T09:00": local(9, 0), "2026-01-31T09:00:05": local(9, 5),
		"2026-01-31T09:00:00Z": utc, "2026-01-31T09:00Z": utc, "2026-01-31T11:00+02:00": utc,
		"": 0, "1969-01-01": 1,
	} {
		if got, err := moment.At("--since", text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "2026-02-30", "09:00", "-5m", "2026-01-31T25:00"} {
		if got, err := moment.At("--since", text); err == nil {
			t.Errorf("%q: got %d; want an error", text, got)
		}
	}
}
