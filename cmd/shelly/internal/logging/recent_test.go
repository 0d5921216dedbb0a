package logging

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"shelly/runtime/config"
)

func TestCOM53TheLastWarningsAndErrorsAreRemembered(t *testing.T) {
	var out bytes.Buffer
	r := &Recent{}
	log := r.Log(New(&out, config.Log{Level: "error"})).With("part", "a b")
	log.Info("nothing of account")
	for i := range recentMax + 5 {
		log.Warn("forged\nline", "n", i, "why", `it "broke"`)
	}
	log.Error(strings.Repeat("é", lineBytesMax))
	lines := r.Lines()
	if len(lines) != recentMax || lines[0].Level != slog.LevelWarn.String() || lines[0].At == 0 {
		t.Fatalf("got %d lines, the first %+v; want %d, Level %s, some At", len(lines), lines[0], recentMax, slog.LevelWarn)
	}
	if want := fmt.Sprintf(`forged line part="a b" n=%d why="it 'broke'"`, 6); lines[0].Text != want {
		t.Errorf("%q, want %q", lines[0].Text, want)
	}
	if last := lines[recentMax-1]; last.Level != "ERROR" || len(last.Text) > lineBytesMax+len("…") || !strings.HasSuffix(last.Text, "é…") {
		t.Errorf("got %+v; want Level %q, at most 503 Text, Text ending with %q", last, "ERROR", "é…")
	}
	if strings.Contains(out.String(), "forged") || !strings.Contains(out.String(), "é") { // what the level leaves out is remembered all the same
		t.Errorf("got %s; want %q, and nothing forged", out.String(), "é")
	}
}
