package logging

import (
	"log/slog"
	"os"
	"testing"

	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/telemetry"
	"shelly/runtime/yardstick"
)

// BenchmarkLines measures what logging one request costs the loop: to a file in place of standard
// error, and to the log of the data folder. Its yardstick is four plain writes of a line of the
// same average length.
func BenchmarkLines(b *testing.B) {
	out, err := os.Create(b.TempDir() + "/stderr")
	if err != nil {
		b.Fatal(err)
	}
	f := NewFile(config.Log{Level: "info", Keep: 16 * config.MiB})
	if err := f.Open(b.TempDir()); err != nil {
		b.Fatal(err)
	}
	l := telemetry.Lines{Log: slog.New(slog.NewMultiHandler(New(out, config.Log{Level: "info"}).Handler(), f.Handler()))}
	w := &telemetry.Work{ID: 1, Kind: fsm.KindUser, Request: fsm.RequestKey{ID: "NP245LVGNCAXO262QQLK6TZBAE", Channel: "http"}, Session: "cli:direct", Outcome: fsm.OutcomeAnswered, Calls: 4}
	for b.Loop() {
		l.Accepted(w)
		l.Replied(w, 12)
	}
	about, err := out.Stat()
	if err != nil {
		b.Fatal(err)
	}
	line := make([]byte, about.Size()/int64(2*b.N)) // one line of each of the two
	yardstick.Of(b, "writes", func() {
		for range 4 {
			if _, err := out.Write(line); err != nil {
				b.Fatal(err)
			}
		}
	})
}
