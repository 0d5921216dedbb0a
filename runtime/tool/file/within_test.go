package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// swap puts a link in the place of a folder, as a process beside may between a check and a use.
func (w *world) swap(folder, leads string) {
	w.t.Helper()
	w.must(os.Rename(filepath.Join(w.workspace, folder), filepath.Join(w.workspace, folder+".aside")))
	w.must(os.Symlink(leads, filepath.Join(w.workspace, folder)))
}

// Without the check the link would lead around what protects .git.
func TestTOL3ALinkThatComesAfterTheCheckIsNotWrittenThrough(t *testing.T) {
	w := newWorld(t)
	w.write(".git/hooks/old", "x\n")
	w.write("way/hooks/old", "x\n")
	tools := w.tools()
	for _, name := range []string{"new", "old", "deep/new"} {
		p, err := tools.place(guard(t), "way/hooks/"+name)
		w.must(err)
		w.swap("way", ".git")
		if renamed, err := p.replace(".shelly-x.tmp", []byte("run me\n")); renamed || err == nil || !strings.Contains(err.Error(), "where something else was") {
			t.Errorf("%s: written %v, %v", name, renamed, err)
		}
		if err := tools.look(p); err == nil || !strings.Contains(err.Error(), "where something else was") {
			t.Errorf("%s: looked at: %v", name, err)
		}
		w.must(os.Remove(filepath.Join(w.workspace, "way")))
		w.must(os.Rename(filepath.Join(w.workspace, "way.aside"), filepath.Join(w.workspace, "way")))
	}
	w.holds(".git/hooks/old", "x\n")
	for _, name := range []string{"new", "deep"} {
		if _, err := os.Lstat(filepath.Join(w.workspace, ".git/hooks", name)); err == nil {
			t.Errorf("%s is in .git/hooks", name)
		}
	}
}

func TestTOL3ALinkThatComesAfterTheCheckIsNotReadThrough(t *testing.T) {
	for _, everywhere := range []bool{false, true} {
		w := newWorld(t)
		w.options.Everywhere = everywhere
		w.options.Private = []string{filepath.Join(w.workspace, "data")}
		w.write("data/sub/token", "secret\n")
		w.write("way/sub/token", "x\n")
		s, err := w.tools().resolve("way/sub/token")
		w.must(err)
		w.swap("way", "data")
		if f, err := s.open(); err == nil {
			t.Errorf("everywhere %v: opened %s", everywhere, f.Name())
			_ = f.Close()
		}
	}
}

func TestTOL27AChangeIsNotUndoneThroughALink(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	w.change("1", "a", "write_file", object{"path": "way/a.txt", "content": "same\n"})
	w.write("../outside/a.txt", "same\n")
	w.swap("way", w.outside)
	if err := w.undo(log, "a", 1); err == nil {
		t.Error("it is undone")
	}
	w.holds("../outside/a.txt", "same\n")
}

// What is near a path that names nothing is not looked for in the daemon's own data, by whichever link.
func TestTOL3NoNameOfPrivateDataIsSuggested(t *testing.T) {
	w := newWorld(t)
	w.options.Private = []string{filepath.Join(w.workspace, "data")}
	w.write("data/token.txt", "secret\n")
	w.write("open/token.txt", "x\n")
	for link, suggests := range map[string]bool{"data": false, "open": true} { // order-free: each for itself
		w.must(os.Symlink(link, filepath.Join(w.workspace, "to_"+link)))
		if got := w.call("read_file", object{"path": "to_" + link + "/tokem.txt"}); strings.Contains(got.Text, "token.txt") != suggests {
			t.Errorf("%s: got %q; want a suggestion: %v", link, got.Text, suggests)
		}
	}
}

// A folder on the way need not be readable, such as /home where it is 0711.
func TestTOL3AFolderOnTheWayNeedOnlyBePassed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read every folder")
	}
	w := newWorld(t)
	w.options.Everywhere = true
	w.write("../outside/sub/b.txt", "x\n")
	log := w.recording()
	w.change("1", "a", "write_file", object{"path": "../outside/sub/a.txt", "content": "one\n"})
	w.must(os.Chmod(w.outside, 0o300))
	t.Cleanup(func() { w.must(os.Chmod(w.outside, 0o700)) })
	if got := w.call("read_file", object{"path": "../outside/sub/a.txt"}); got.Failed || !strings.Contains(got.Text, "one") {
		t.Errorf("got %+v", got)
	}
	w.must(w.undo(log, "a", 1))
}
