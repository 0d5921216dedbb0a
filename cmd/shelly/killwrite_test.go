//go:build failpoint

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killedIn returns what a request is answered when the daemon is killed at a point while it
// works on it, and starts again.
func (k *killed) killedIn(text, point string) string {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), guard)
	defer cancel()
	l := k.start("SHELLY_FAILPOINT=" + point)
	now, err := k.await(ctx, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	a := &killAsk{id: "one", session: "s", text: text}
	if err := k.askOf(ctx, now, a); err == nil {
		k.t.Fatalf("%s: it was answered %q", point, a.reply)
	}
	<-l.ended
	l = k.start()
	if err := k.ask(ctx, a); err != nil {
		k.t.Fatalf("%s: %v\n%s", point, err, l.log.text())
	}
	l.kill()
	return a.reply
}

// Killed while it writes MEMORY.md, before the file is there and after, the call is made again
// by itself, and the text is there once (MEM-15).
func TestMEM15KilledWhileMemoryIsWrittenATextIsThereOnce(t *testing.T) {
	for point, reply := range map[string]string{
		"file.written:1": "wrote MEMORY.md (9 bytes, before 0)",
		"file.renamed:1": "MEMORY.md has it already.",
	} {
		k := newKilled(t, killArgs()...)
		if got := k.killedIn("note one", point); got != reply {
			t.Errorf("%s: it is answered %q", point, got)
		}
		text, err := os.ReadFile(filepath.Join(k.data, "memory", "MEMORY.md"))
		if err != nil || strings.Count(string(text), "noted one") != 1 {
			t.Errorf("%s: MEMORY.md is %q, %v", point, text, err)
		}
	}
}

// Killed between a change's record and its file, and between the file and the end of the
// record, the probe says what became of the call: it is made once (TOL-26, INF-52).
func TestTOL26KilledWhileAFileIsChangedTheProbeTells(t *testing.T) {
	for _, point := range []string{"change.recorded:1", "change.made:1"} {
		k := newKilled(t, append(killArgs(), "--set", "limits.max_tool_attempts=2")...)
		if got := k.killedIn("write one", point); !strings.HasPrefix(got, "created written (1 line, 4 bytes)") {
			t.Errorf("%s: it is answered %q", point, got)
		}
		text, err := os.ReadFile(filepath.Join(k.dir, "written"))
		if err != nil || string(text) != "one\n" {
			t.Errorf("%s: the file is %q, %v", point, text, err)
		}
		left, err := filepath.Glob(filepath.Join(k.dir, ".shelly-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("%s: left are %q, %v", point, left, err)
		}
	}
}
