package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/sim/scenario"
)

// A scenario takes of each limit what the daemon takes, and refuses what it refuses (SCN-14), but
// for the two sizes that may be smaller.
func TestSCN14ALimitHasTheDaemonsBounds(t *testing.T) {
	numbers := strings.Fields("-1 0 1 2 24 25 50 51 64 65 90 91 100 101 1000 1001 10000 10001 100000 100001 1048576 16777215 16777217 1073741824 1073741825")
	times := strings.Fields("0s 1ms 59s 1m 1h 3600001ms 24h 86400001ms 168h 604800001ms 8760h 31536000001ms")
	small := map[string]string{"context_tokens": "1048576", "max_text_bytes": "1048576"}
	try := func(key, daemon, own string, values []string) {
		taken, refused := 0, 0
		for _, value := range values {
			if least := small[key]; len(value) < len(least) && value != "-1" && value != "0" {
				continue
			}
			wrong := daemonRefuses(t, fmt.Sprintf(daemon, value))
			if got := scenarioRefuses(fmt.Sprintf(own, value)); (got == "") != (wrong == "") {
				t.Errorf("%s: %s: the daemon says %q, a scenario %q", key, value, wrong, got)
			}
			if wrong == "" {
				taken++
			} else {
				refused++
			}
		}
		if taken == 0 || refused == 0 {
			t.Errorf("%s: %d values are taken and %d refused; give some of each", key, taken, refused)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fsm.Limits]()) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		daemon, own := "limits: {"+key+": %s}", "{"+key+": %s}"
		switch f.Type {
		case reflect.TypeFor[fsm.Millis]():
			try(key, daemon, own, times)
		case reflect.TypeFor[[]fsm.Millis]():
			try(key, "limits: {"+key+": [1s, %s]}", "{"+key+": [1s, %s]}", times)
		default:
			try(key, daemon, own, numbers)
		}
	}
	try("temperature", "brain: {temperature: %s}", "{temperature: %s}", strings.Fields("0 0.7 5 5.001 6 100 101"))
	try("max_tokens", "brain: {max_tokens: %s}", "{max_tokens: %s}", numbers)
	beat, daemonBeat := "{heartbeat: {do: x, ", "events: {heartbeat: {do: x, "
	try("every", daemonBeat+"every: %s}}", beat+"every: %s}}", times)
	try("idle", daemonBeat+"every: 1h, greet: {idle: %s}}}", beat+"every: 1h, idle: %s}}", times)
	try("per_day", daemonBeat+"every: 1h, greet: {idle: 1h, per_day: %s}}}", beat+"every: 1h, idle: 1h, per_day: %s}}", numbers)
	try("chance", daemonBeat+"every: 1h, greet: {idle: 1h, chance: %s}}}", beat+"every: 1h, idle: 1h, chance: %s}}", numbers)
}

// daemonRefuses returns what the daemon says of settings with the largest window.
func daemonRefuses(t *testing.T, settings string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	text := settings + "\n"
	if brain, ok := strings.CutPrefix(settings, "brain: {"); ok {
		text = "brain: {num_ctx: 16777216, " + brain + "\n"
	} else {
		text += "brain: {num_ctx: 16777216}\n"
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(config.Sources{File: file, Dir: dir, Home: dir}); err != nil {
		return err.Error()
	}
	return ""
}

// scenarioRefuses returns what the loader says of a scenario with a configuration.
func scenarioRefuses(settings string) string {
	_, err := scenario.Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\nprofile: default\nconfig: "+settings+"\ntimeline: [{user: hi}]\nbrain: [{says: hi}]\nexpect: {replies: [hi]}\n"))
	if err != nil {
		return err.Error()
	}
	return ""
}
