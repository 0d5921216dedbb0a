package suite

import (
	"bytes"
	"io"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
)

// On a terminal the line is drawn when it has changed, stays below the report, and is removed at
// the end.
func TestSCN38ProgressStandsBelowTheReport(t *testing.T) {
	var out bytes.Buffer
	p := &progress{line: terminal.Line{Out: &out, Terminal: true}, columns: 40, all: 3}
	step := func(what, want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		out.Reset()
	}
	p.begin(0, "first")
	p.begin(1, "second")
	p.draw()
	step("the case that began first", "\r0 of 3 cases: first\x1b[K")
	p.draw()
	step("nothing new", "")
	p.end(0, true)
	p.draw()
	step("one has failed", "\r1 of 3 cases, 1 failed: second\x1b[K")
	if _, err := io.WriteString(p, "FAIL first\n"); err != nil {
		t.Fatal(err)
	}
	step("a failure", "\r\x1b[KFAIL first\n")
	p.draw()
	step("below it", "\r1 of 3 cases, 1 failed: second\x1b[K")
	p.end(1, false)
	p.begin(2, "one whose name does not fit into a line")
	p.draw()
	step("a long name", "\r2 of 3 cases, 1 failed: one whose name…\x1b[K")
	p.erase()
	step("the end", "\r\x1b[K")
	p.erase()
	step("nothing to erase", "")

	var nobody *progress
	nobody.begin(0, "first")
	nobody.end(0, true)
	nobody.keep()()
	if terminal.Columns(&out) != 0 {
		t.Error("a buffer counts as a terminal")
	}
}
