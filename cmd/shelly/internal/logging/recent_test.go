package logging

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/config"
)

func TestCOM53TheLastWarningsAndErrorsAreRemembered(t *testing.T) {
	var out bytes.Buffer
	r := &Recent{}
	log := r.Log(New(&out, config.Log{Level: "error"})).With("part", "a b")
	log.Info("nothing of account")
	for i := range recentMax + 5 {
		log.Warn("forged\nline", "n", string(rune('a'+i)), "why", `it "broke"`)
	}
	log.Error(strings.Repeat("é", lineBytesMax))
	lines := r.Lines()
	if len(lines) != recentMax || lines[0].Level != slog.LevelWarn.String() || lines[0].At == 0 {
		t.Fatalf("got %d lines, the first %+v; want %d, Level %s, some At", len(lines), lines[0], recentMax, slog.LevelWarn)
	}
	if want := fmt.Sprintf(`forged line part="a b" n=%c why="it 'broke'"`, 'g'); lines[0].Text != want {
		t.Errorf("%q, want %q", lines[0].Text, want)
	}
	if last := lines[recentMax-1]; last.Level != "ERROR" || len(last.Text) > lineBytesMax+len("…") || !strings.HasSuffix(last.Text, "é…") {
		t.Errorf("got %+v; want Level %q, at most 503 Text, Text ending with %q", last, "ERROR", "é…")
	}
	if strings.Contains(out.String(), "forged") || !strings.Contains(out.String(), "é") { // what the level leaves out is remembered all the same
		t.Errorf("got %s; want %q, and nothing forged", out.String(), "é")
	}
}

// What fails again and again takes one place.
func TestCOM53AWarningThatIsRepeatedTakesOnePlace(t *testing.T) {
	r := &Recent{}
	log := r.Log(slog.New(slog.DiscardHandler))
	log.Error("the memory is damaged")
	for i := range 50 {
		log.Warn("an event was not accepted", "source", "disk", "error", fmt.Sprintf("%d bytes left", 1000*i))
		log.Warn("an event was not accepted", "source", "files", "error", "the disk is full")
	}
	log.Error("an event was not accepted", "source", "files", "error", "the disk is full")
	log.Info("nothing")
	var got []string
	for _, l := range r.Lines() {
		got = append(got, fmt.Sprintf("%s %s ×%d", l.Level, l.Text, l.Times))
	}
	want := []string{
		"ERROR the memory is damaged ×0",
		`WARN an event was not accepted source=disk error="49000 bytes left" ×50`,
		`WARN an event was not accepted source=files error="the disk is full" ×50`,
		`ERROR an event was not accepted source=files error="the disk is full" ×0`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
