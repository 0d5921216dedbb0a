package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"shelly/fsm"
	"shelly/runtime/exhaustive"
)

// corpusCase is a call with what must become of it.
type corpusCase struct {
	Name  string
	Tool  string
	Args  object
	Want  string // deny: an error; allow: works; limit: works, and says its bound
	Says  string // of the error, or of the bound
	Shows string // of the result
	Setup [][]any
	Holds map[string]string // files, and mode:FILE
}

// The paths and contents of testdata/paths.json, in each of which nothing outside is touched
// or shown, and nothing harmless is refused (TOL-3, TOL-20, TOL-21, TOL-24).
func TestTOL3NoPathLeadsOutside(t *testing.T) {
	exhaustive.Test(t)
	raw, err := os.ReadFile("testdata/paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct{ Cases []corpusCase }
	if err := json.Unmarshal(raw, &corpus); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, c := range corpus.Cases {
		t.Run(c.Name, func(t *testing.T) { counts[c.run(t)]++ })
	}
	t.Logf("%d cases: %d refused, %d as wanted, %d wrongly refused, %d escaped, %d not tried",
		len(corpus.Cases), counts["refused"], counts["taken"], counts["wrongly refused"], counts["escaped"], counts["not tried"])
}

// run runs the case in its own world and returns how it went.
func (c corpusCase) run(t *testing.T) string {
	w := newWorld(t)
	w.recording()
	w.options.ReadBytesMax = 64 << 20 // as the daemon has it
	top := filepath.Dir(w.workspace)
	w.options.Private = []string{filepath.Join(top, "data")}
	w.write("run.sh", "#!/bin/sh\necho ran\n")
	w.write("../ws-evil/keep.txt", "keep\n")
	w.write("../home/.ssh/id_rsa", secret)
	w.write("../data/journal.bin", secret)
	fill := strings.NewReplacer("{{WS}}", w.workspace, "{{OUT}}", w.outside, "{{DATA}}", filepath.Join(top, "data"), "{{HOME}}", filepath.Join(top, "home"), "{{TOKEN}}", secret).Replace
	for _, step := range c.Setup {
		if !w.prepare(step, fill) {
			t.Log("no right to make a device")
			return "not tried"
		}
	}
	around := func() string {
		var b bytes.Buffer
		for _, dir := range []string{w.outside, w.workspace + "-evil", filepath.Join(top, "home")} {
			held := tree(t, dir)
			var paths []string
			for path := range held { // order-free: sorted below
				paths = append(paths, path+"\n"+held[path])
			}
			slices.Sort(paths)
			b.WriteString(strings.Join(paths, "\n"))
		}
		return b.String()
	}
	before := around()
	args := object{}
	for name, value := range c.Args { // order-free: a map again
		if text, ok := value.(string); ok {
			value = fill(text)
		}
		args[name] = value
	}
	got := w.call(c.Tool, args)
	if around() != before || strings.Contains(got.Text, secret) {
		t.Errorf("escaped: %.300q", got.Text)
		return "escaped"
	}
	w.leftovers()
	return c.judge(w, got, fill)
}

// judge compares the result of the case with what it should be.
func (c corpusCase) judge(w *world, got fsm.ToolAnswered, fill func(string) string) string {
	w.t.Helper()
	for path, want := range c.Holds { // order-free: each by itself
		if name, ok := strings.CutPrefix(path, "mode:"); ok {
			if info, err := os.Stat(filepath.Join(w.workspace, name)); err != nil || info.Mode().String() != want {
				w.t.Errorf("the mode of %s is %v, %v", name, info.Mode(), err)
			}
			continue
		}
		w.holds(path, want)
	}
	switch {
	case got.Failed != (c.Want == "deny"):
		w.t.Errorf("failed: %v: %.300q", got.Failed, got.Text)
		return "wrongly refused"
	case !strings.Contains(got.Text, fill(c.Says)) || !strings.Contains(got.Text, fill(c.Shows)):
		w.t.Errorf("got %.300q, want %q and %q", got.Text, c.Says, c.Shows)
	}
	if c.Want == "deny" {
		return "refused"
	}
	return "taken"
}

// prepare does one step of a setup; it is false where the right to it is missing.
func (w *world) prepare(step []any, fill func(string) string) bool {
	w.t.Helper()
	text := func(i int) string { return fill(step[i].(string)) }
	number := func(i int) int { return int(step[i].(float64)) }
	switch operation := step[0].(string); operation {
	case "write":
		w.write(text(1), text(2))
	case "repeat":
		piece := text(2)
		if len(step) > 4 { // each character is a byte
			piece = string([]byte{0, 1, 2, 255})
		}
		w.write(text(1), strings.Repeat(piece, number(3)))
	case "symlink":
		w.symlink(text(1), text(2))
	case "link":
		w.link(text(1), text(2))
	case "fifo":
		w.fifo(text(1))
	case "chmod":
		w.must(os.Chmod(filepath.Join(w.workspace, text(1)), os.FileMode(number(2))))
	case "device":
		err := syscall.Mknod(filepath.Join(w.workspace, text(1)), syscall.S_IFCHR|0o666, 1<<8|5)
		if errors.Is(err, syscall.EPERM) {
			return false
		}
		w.must(err)
	default:
		w.t.Fatalf("no operation %q", operation)
	}
	return true
}
