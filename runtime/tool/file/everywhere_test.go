package file

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// TOL-3 if tools.restrict_to_workspace is false: the calls that the workspace refuses are
// allowed, but the daemon's own data stays closed.
func TestTOL3WithoutTheRestrictionFilesOutsideAreRead(t *testing.T) {
	w := newWorld(t)
	w.options.Everywhere = true
	w.write("../outside/open.txt", "from outside\n")
	for _, path := range []string{filepath.Join(w.outside, "open.txt"), "../outside/open.txt", "link_out/open.txt"} {
		if got := w.call("read_file", map[string]any{"path": path}); got.Failed || got.Text != "from outside\n" {
			t.Errorf("%s: got %+v; want not Failed, Text %q", path, got, "from outside\n")
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
				t.Errorf("%s %s: got %+v; want Failed, Invalid, Text with %q", name, path, got, "belongs to the agent itself")
			}
		}
	}
}

// The machine starts a tool again after a failure only if this is safe and makes sense
// (INF-16): not if waiting changes nothing.
func TestTOL12AFailureSaysWhetherAnotherAttemptHelps(t *testing.T) {
	w := newWorld(t)
	w.symlink("loop", "loop")
	for _, c := range []struct {
		tool             string
		args             map[string]any
		nothing, invalid bool
	}{
		{"read_file", map[string]any{"path": "absent.txt"}, true, true},
		{"read_file", map[string]any{"path": "loop"}, true, true},
		{"read_file", map[string]any{"path": "notes.txt/x"}, true, true},
		{"read_file", map[string]any{"path": strings.Repeat("x", 300)}, true, true},
		{"list_dir", map[string]any{"path": "absent"}, true, true},
		{"list_dir", map[string]any{"path": "loop"}, true, true},
		{"read_file", map[string]any{"path": "../x"}, true, true},
		{"read_file", map[string]any{"path": "link_out/canary.txt"}, true, true},
		{"read_file", map[string]any{"path": "src"}, true, true},
		{"read_file", map[string]any{"file": "x"}, true, true},
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

// Failures that may pass are tried again: a disk that fails, a device that is
// busy, a remote file system that does not answer.
func TestTOL12OnlyWhatLastsIsNotTriedAgain(t *testing.T) {
	for _, err := range []error{syscall.EIO, syscall.EBUSY, syscall.EAGAIN, syscall.ESTALE, syscall.ETIMEDOUT, syscall.ENOMEM, syscall.EMFILE} {
		if got := tool.Undone(explain("x", &os.PathError{Op: "open", Path: "x", Err: err})); !got.Nothing || got.Invalid {
			t.Errorf("%v: got %+v; want Nothing, not Invalid", err, got)
		}
	}
	for _, err := range []error{fs.ErrNotExist, syscall.EACCES, syscall.EPERM, syscall.ELOOP, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ENXIO} {
		if got := tool.Undone(explain("x", &os.PathError{Op: "open", Path: "x", Err: err})); !got.Nothing || !got.Invalid {
			t.Errorf("%v: got %+v; want Nothing, Invalid", err, got)
		}
	}
}

// A file that may not be read is not tried again either. (Root may read every file.)
func TestTOL12DeniedIsNotTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.must(os.Chmod(filepath.Join(w.workspace, "notes.txt"), 0))
	if os.Geteuid() == 0 {
		t.Skip("root may read every file")
	}
	got := w.call("read_file", map[string]any{"path": "notes.txt"})
	if !got.Invalid || !strings.HasPrefix(got.Text, "permission denied") {
		t.Errorf("got %+v; want Invalid, a Text that begins with %q", got, "permission denied")
	}
}

// Nothing that links to the agent's own data is read, wherever the tools may look.
func TestTOL3AHardLinkToTheAgentsOwnDataIsRefused(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		w := newWorld(t)
		data := filepath.Join(filepath.Dir(w.outside), "data") // it may be a link to where there is room
		w.must(os.Symlink(w.outside, data))
		w.options.Everywhere, w.options.Private = everywhere, []string{data}
		w.write("../outside/store/deep.txt", secret)
		w.link(filepath.Join(w.outside, "canary.txt"), "token")
		w.link(filepath.Join(w.outside, "store", "deep.txt"), "deep")
		w.link(filepath.Join(w.workspace, "notes.txt"), "twin.txt")
		for _, path := range []string{"token", "deep"} {
			if got := w.call("read_file", map[string]any{"path": path}); !got.Invalid {
				t.Errorf("everywhere %v, %s: %+v", everywhere, path, got)
			}
		}
		if got := w.call("read_file", map[string]any{"path": "twin.txt"}); got.Failed == everywhere {
			t.Errorf("everywhere %v, a link within: %+v", everywhere, got)
		}
	}
}

// A workspace that the model knows by another path is found under that path, and nothing
// else is (TOL-3).
func TestTOL3TheWorkspaceByAnotherName(t *testing.T) {
	w := newWorld(t)
	w.options.KnownAs = "/workspace"
	for _, path := range []string{"/workspace/notes.txt", "/workspace/./src/../notes.txt", filepath.Join(w.workspace, "notes.txt")} {
		if got := w.call("read_file", map[string]any{"path": path}); got.Failed {
			t.Errorf("%s: got %+v; want not Failed", path, got)
		}
	}
	for _, path := range []string{"/workspaces/notes.txt", "/workspace/../notes.txt", "/workspace/link_out/canary.txt", "/notes.txt"} {
		if got := w.call("read_file", map[string]any{"path": path}); !got.Invalid {
			t.Errorf("%s: got %+v; want Invalid", path, got)
		}
	}
}
