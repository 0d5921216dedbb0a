package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/runtime/tool/tree"
	"shelly/runtime/yardstick"
)

func TestMain(m *testing.M) {
	tree.Supervise()
	Stage()
	if len(os.Args) == 2 && os.Args[1] == setting {
		setIDs()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == acting {
		act()
		return
	}
	os.Exit(m.Run())
}

// each runs a test on each rung that holds here, and says which do not.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, r := range Rungs() {
		t.Run(string(r), func(t *testing.T) {
			w := newWorld(t)
			w.options.Rungs = []Rung{r}
			if k := w.open(); k.Rung() == "" {
				t.Skip("does not hold here: ", k.Refusal())
			}
			test(t, w)
		})
	}
}

// world is a workspace and what is around it.
type world struct {
	t       *testing.T
	dir     string
	options Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	w.options = Options{
		Trees: tree.New(filepath.Join(dir, "processes")), Workspace: filepath.Join(dir, "ws"), Scratch: filepath.Join(dir, "scratch"),
		Limits: Limits{Memory: 2 << 30, Processes: 128, FileSize: 64 << 20, OpenFiles: 512, Disk: 512 << 20},
	}
	for _, d := range []string{w.options.Workspace, w.options.Scratch, w.path("outside")} {
		w.must(os.Mkdir(d, 0o700))
	}
	w.write("outside/canary", "secret-5f1c")
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.must(os.WriteFile(w.path(name), []byte(text), 0o644))
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) open() *Keeper {
	w.t.Helper()
	k, err := Open(context.Background(), w.options)
	w.must(err)
	return k
}

// sh runs a script and returns what it writes.
func (w *world) sh(script string) (string, End) {
	w.t.Helper()
	var out bytes.Buffer
	end, err := w.open().Run(w.t.Context(), Spec{
		Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + w.options.Workspace}, Out: &out, Timeout: time.Minute,
	})
	w.must(err)
	return out.String(), end
}

func TestTOL40CommandSeesTheWorkspaceAndNothingBesideIt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		out, end := w.sh("pwd; echo in > file; cat ../outside/canary; cat /etc/shadow; ls /root; id -u; exit 7")
		if !end.Exited || end.Code != 7 || strings.Contains(out, "secret") || !strings.HasPrefix(out, w.options.Workspace+"\n") {
			t.Errorf("got %+v and\n%s; want Code 7, the workspace first, no %q", end, out, "secret")
		}
		if text, err := os.ReadFile(w.path("ws/file")); err != nil || string(text) != "in\n" {
			t.Errorf("the command wrote %q, %v", text, err)
		}
		t.Log(out)
	})
}

// Without its settings no program of Java starts, and without /etc/hosts none finds localhost.
func TestTOL40CommandSeesWhatProgramsNeedOfEtc(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		script := ""
		for _, path := range append(java(), hostsEtc...) {
			if _, err := os.Stat(path); err == nil { // not each system has it
				script += "(: < " + path + ") || echo cannot read " + path + "; (: >> " + path + ") 2>/dev/null && echo can write " + path + "\n"
			}
		}
		if out, _ := w.sh(script); out != "" {
			t.Errorf("%s", out)
		}
		if out, _ := w.sh("cat /etc/resolv.conf /etc/java*/management/*"); strings.Contains(out, "nameserver") || strings.Contains(out, "jmxremote") {
			t.Errorf("it sees more:\n%s", out)
		}
	})
}

// What is hidden stays hidden even if an earlier command could have moved its folder, and even
// inside a folder that commands may read.
// A program that exists, but that commands do not see, is not only said to be missing.
func TestTOL40AProgramThatIsNotShownIsNamed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.write("outside/bin/tool", "#!/bin/sh\necho here\n")
		w.must(os.Chmod(w.path("outside/bin/tool"), 0o755))
		w.must(os.Symlink(w.path("outside/bin/tool"), w.path("ws/link")))
		for _, name := range []string{w.path("outside/bin/tool"), w.path("ws/link")} {
			var out bytes.Buffer
			if _, err := w.open().Run(t.Context(), Spec{Args: []string{name}, Env: []string{"PATH=/usr/bin:/bin"}, Out: &out}); err == nil || !strings.Contains(err.Error(), "tools.exec.reads") {
				t.Errorf("%s: %v, %q", name, err, out.String())
			}
		}
		w.options.Readable = []string{w.path("outside/bin")}
		for _, name := range []string{w.path("outside/bin/tool"), w.path("ws/link")} {
			var out bytes.Buffer
			if _, err := w.open().Run(t.Context(), Spec{Args: []string{name}, Env: []string{"PATH=/usr/bin:/bin"}, Out: &out}); err != nil || out.String() != "here\n" {
				t.Errorf("%s, which may be read: %v, %q", name, err, out.String())
			}
		}
	})
	for path, want := range map[string]bool{"/bin/sh": true, "/dev/null": true, os.TempDir(): true, "/nowhere": false, "/root": false, "/etc/shadow": false} {
		o := Options{Workspace: "/srv/work"}
		if got := o.Shows(path); got != want {
			t.Errorf("%s is shown: %v", path, got)
		}
	}
}

func TestTOL40HiddenStaysHidden(t *testing.T) {
	const try = "mv a b; mkdir -p a/data && echo evil > a/data/token; cat a/data/token b/data/token ../shown/data/token; cat a/shelly.sock b/shelly.sock; echo > b/other"
	each(t, func(t *testing.T, w *world) {
		for _, name := range []string{"ws/a/data/token", "shown/data/token", "ws/a/shelly.sock"} {
			w.write(name, "secret")
		}
		w.options.Readable = []string{w.path("shown")}
		w.options.Hidden = []string{w.path("ws/a/data"), w.path("ws/a/shelly.sock"), w.path("shown/data")}
		if w.options.Rungs[0] == Landlock {
			for _, hidden := range w.options.Hidden {
				o := w.options
				o.Hidden = []string{hidden}
				if k, err := Open(t.Context(), o); err != nil || !strings.Contains(fmt.Sprint(k.Refusal()), hidden+" is inside ") {
					t.Errorf("%s: taken as %q, %v: %s", hidden, k.Rung(), err, fmt.Sprint(k.Refusal()))
				}
			}
			return
		}
		for range 2 {
			if out, _ := w.sh(try); strings.Contains(out, "secret") {
				t.Errorf("shown:\n%s", out)
			}
		}
		if text, err := os.ReadFile(w.path("ws/a/data/token")); err != nil || string(text) != "secret" {
			t.Errorf("a command made the token %q, %v", text, err)
		}
	})
}

// What the calls of a killed daemon left is removed, whatever the name of the data folder (TOL-40).
func TestTOL40TheFoldersOfCallsAreRemoved(t *testing.T) {
	scratch := filepath.Join(t.TempDir(), "a [1]")
	if err := Clear(scratch); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(scratch, callPrefix+"1", "in"), 0o700), os.WriteFile(filepath.Join(scratch, "7.json"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	err := Clear(scratch)
	left, _ := os.ReadDir(scratch)
	if err != nil || len(left) != 1 || left[0].Name() != "7.json" {
		t.Errorf("left %v, %v", left, err)
	}
}

// BenchmarkCall is a command that does nothing, by each way of containing it. Its yardstick is the
// same command uncontained.
func BenchmarkCall(b *testing.B) {
	for _, r := range Rungs() {
		b.Run(string(r), func(b *testing.B) {
			dir, _ := filepath.EvalSymlinks(b.TempDir())
			o := Options{Trees: tree.New(filepath.Join(dir, "p")), Workspace: dir, Scratch: dir, Rungs: []Rung{r}}
			k, err := Open(b.Context(), o)
			if err != nil || k.Rung() == "" {
				b.Skip(err, k.Refusal())
			}
			run := func(k *Keeper) {
				var out bytes.Buffer
				if _, err := k.Run(b.Context(), Spec{Args: []string{"/bin/true"}, Out: &out}); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				run(k)
			}
			bare := Uncontained(o)
			yardstick.Of(b, "uncontained", func() { run(bare) })
		})
	}
}
