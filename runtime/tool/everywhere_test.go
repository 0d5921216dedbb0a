package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
)

// TOL-3 where tools.restrict_to_workspace is false: the same calls that the workspace
// refuses are taken, but what is the daemon's own stays closed.
func TestTOL3WithoutTheRestrictionFilesOutsideAreRead(t *testing.T) {
	w := newWorld(t)
	w.options.Everywhere = true
	w.write("../outside/open.txt", "from outside\n")
	for _, path := range []string{filepath.Join(w.outside, "open.txt"), "../outside/open.txt", "link_out/open.txt"} {
		if got := w.call("read_file", map[string]any{"path": path}); got.Failed || got.Text != "from outside\n" {
			t.Errorf("%s: %+v", path, got)
		}
	}
	if got := w.call("read_file", map[string]any{"path": "notes.txt"}); got.Failed {
		t.Errorf("a relative path: %+v", got)
	}
	list := w.call("list_dir", map[string]any{"path": w.outside})
	if list.Failed || list.Text != "canary.txt  11 bytes\nopen.txt  13 bytes\n" {
		t.Errorf("list: %+v", list)
	}
}

func TestTOL3WithoutTheRestrictionTheDaemonsOwnDataStaysClosed(t *testing.T) {
	w := newWorld(t)
	w.options.Everywhere = true
	w.options.Private = []string{w.outside}
	held, err := os.Open(filepath.Join(w.outside, "canary.txt"))
	w.must(err)
	defer held.Close()
	for _, path := range []string{
		filepath.Join(w.outside, "canary.txt"), "../outside/canary.txt", "link_out/canary.txt", w.outside,
		"/proc/self/root" + w.outside, fmt.Sprintf("/proc/%d/environ", os.Getpid()), "/proc/self/environ",
		fmt.Sprintf("/proc/self/fd/%d", held.Fd()), "/proc/thread-self/environ",
	} {
		for _, name := range []string{"read_file", "list_dir"} {
			got := w.call(name, map[string]any{"path": path})
			if !got.Failed || !got.Invalid || !strings.Contains(got.Text, "belongs to the agent itself") {
				t.Errorf("%s %s: %+v", name, path, got)
			}
		}
	}
}

// The machine starts a tool again after a failure only where this is safe and has
// a point (INF-16).
func TestAFailureSaysWhetherAnotherAttemptHelps(t *testing.T) {
	w := newWorld(t)
	w.options.AllowExec = true
	for _, c := range []struct {
		tool             string
		args             map[string]any
		nothing, invalid bool
	}{
		{"read_file", map[string]any{"path": "absent.txt"}, true, false},
		{"list_dir", map[string]any{"path": "absent"}, true, false},
		{"read_file", map[string]any{"path": "../x"}, true, true},
		{"read_file", map[string]any{"path": "link_out/canary.txt"}, true, true},
		{"read_file", map[string]any{"path": "src"}, true, true},
		{"read_file", map[string]any{"file": "x"}, true, true},
		{"exec", map[string]any{"command": ""}, true, true},
		{"exec", map[string]any{"command": strings.Repeat("你", commandCharsMax)}, true, false},
		{"nonsense", nil, true, true},
	} {
		want := fsm.ToolAnswered{Failed: true, Nothing: c.nothing, Invalid: c.invalid}
		got := w.call(c.tool, c.args)
		got.Text = ""
		if got != want {
			t.Errorf("%s %.60v: %+v, want %+v", c.tool, c.args, got, want)
		}
	}
}

// A workspace that the model knows by another path is found by that, and nothing
// beside it (TOL-3).
func TestTOL3TheWorkspaceByAnotherName(t *testing.T) {
	w := newWorld(t)
	w.options.KnownAs = "/workspace"
	for _, path := range []string{"/workspace/notes.txt", "/workspace/./src/../notes.txt", filepath.Join(w.workspace, "notes.txt")} {
		if got := w.call("read_file", map[string]any{"path": path}); got.Failed {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for _, path := range []string{"/workspaces/notes.txt", "/workspace/../notes.txt", "/workspace/link_out/canary.txt", "/notes.txt"} {
		if got := w.call("read_file", map[string]any{"path": path}); !got.Invalid {
			t.Errorf("%s: %+v", path, got)
		}
	}
}
