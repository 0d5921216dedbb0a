package supervise

import (
	"strings"
	"testing"
	"time"
)

// What the supervisor is told while a daemon recovers, serves, runs short of disk, reloads and stops.
func TestDEP1ASupervisorIsToldHowItIs(t *testing.T) {
	serving := Look{Serving: true}
	for name, c := range map[string]struct {
		tell func(*tale) []string
		want string
	}{
		"recovering":              {func(s *tale) []string { return s.unanswered(0) }, "STATUS=recovering from the journal|EXTEND_TIMEOUT_USEC=60000000"},
		"recovering for too long": {func(s *tale) []string { return s.unanswered(startMax) }, ""},
		"an initial inference": {func(s *tale) []string { return s.answered(Look{Active: 1}, 0) },
			"STATUS=starting: requests are queued until it serves|EXTEND_TIMEOUT_USEC=60000000|WATCHDOG=1"},
		"an initial inference that does not end": {func(s *tale) []string { return s.answered(Look{}, startMax)[1:] }, "WATCHDOG=1"},
		"serving":                                {func(s *tale) []string { return s.answered(serving, 0) }, "READY=1|STATUS=serving: idle|WATCHDOG=1"},
		"short":                                  {func(s *tale) []string { return s.answered(Look{Short: "x"}, 0) }, "READY=1|STATUS=waiting for disk space; records can be read|WATCHDOG=1"},
		"still":                                  {func(s *tale) []string { s.answered(serving, 0); return s.answered(serving, 1) }, "WATCHDOG=1"},
		"busy": {func(s *tale) []string {
			s.answered(serving, 0)
			return s.answered(Look{Serving: true, Active: 1, Waiting: 2}, 1)
		}, "STATUS=serving: 1 at work, 2 waiting|WATCHDOG=1"},
		"hanging":                    {func(s *tale) []string { s.answered(serving, 0); return s.unanswered(1) }, ""},
		"reloading":                  {func(s *tale) []string { s.answered(serving, 0); return s.reloading(time.Second) }, "RELOADING=1|MONOTONIC_USEC=1000000|STATUS=reloading the configuration"},
		"reloaded":                   {func(s *tale) []string { s.answered(serving, 0); s.reloading(1); return s.reloaded() }, "READY=1"},
		"reloading before it serves": {func(s *tale) []string { return append(s.reloading(1), s.reloaded()...) }, ""},
		"stopping":                   {func(s *tale) []string { s.answered(serving, 0); return s.answered(Look{Stopping: true, Active: 1}, 1) }, "STOPPING=1|STATUS=stopping: 1 at work|EXTEND_TIMEOUT_USEC=60000000|WATCHDOG=1"},
		"stopping before it serves":  {func(s *tale) []string { return s.answered(Look{Stopping: true}, 1)[:1] }, "STOPPING=1"},
		"stopping for long":          {func(s *tale) []string { s.stop(); return s.answered(Look{Stopping: true}, 24*time.Hour)[1:] }, "EXTEND_TIMEOUT_USEC=60000000|WATCHDOG=1"},
		"a reload while it stops": {func(s *tale) []string {
			s.answered(serving, 0)
			s.stop()
			return append(s.reloading(1), s.reloaded()...)
		}, ""},
		"a loop that hangs while it stops": {func(s *tale) []string { s.answered(serving, 0); s.stop(); return s.unanswered(1) }, ""},
		"closing":                          {func(s *tale) []string { return s.gone(1) }, "STOPPING=1|STATUS=closing|EXTEND_TIMEOUT_USEC=60000000|WATCHDOG=1"},
		"closing for long":                 {func(s *tale) []string { s.gone(1); return s.gone(1 + closeMax) }, ""},
	} {
		if got := strings.Join(c.tell(&tale{}), "|"); got != c.want {
			t.Errorf("%s: told %q, want %q", name, got, c.want)
		}
	}
}

// The variables are parsed, and those meant for another process are ignored.
func TestDEP1TheVariablesOfTheProtocolAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		given string
		want  environment
		bad   bool
	}{
		"none":             {"", environment{}, false},
		"all":              {"NOTIFY_SOCKET=/run/n WATCHDOG_USEC=2000000 WATCHDOG_PID=7 LISTEN_PID=7 LISTEN_FDS=2", environment{"/run/n", 2 * time.Second, 2}, false},
		"abstract":         {"NOTIFY_SOCKET=@n WATCHDOG_USEC=5", environment{"@n", 5 * time.Microsecond, 0}, false},
		"for another":      {"NOTIFY_SOCKET=/n WATCHDOG_USEC=5 WATCHDOG_PID=8 LISTEN_PID=8 LISTEN_FDS=1", environment{"/n", 0, 0}, false},
		"no path":          {"NOTIFY_SOCKET=n", environment{}, true},
		"no time":          {"NOTIFY_SOCKET=/n WATCHDOG_USEC=-1", environment{}, true},
		"no such time":     {"NOTIFY_SOCKET=/n WATCHDOG_USEC=9223372036854775807", environment{}, true},
		"no number":        {"LISTEN_PID=7 LISTEN_FDS=x", environment{}, true},
		"too many sockets": {"LISTEN_PID=7 LISTEN_FDS=1000000", environment{}, true},
	} {
		taken := map[string]string{}
		for _, kv := range strings.Fields(c.given) {
			key, value, _ := strings.Cut(kv, "=")
			taken[key] = value
		}
		got, err := parseEnvironment(taken, 7)
		if (err != nil) != c.bad || !c.bad && got != c.want {
			t.Errorf("%s: got %+v, %v; want %+v, an error %t", name, got, err, c.want, c.bad)
		}
	}
}
