package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
)

type object = map[string]any

// recording lets a world keep a record of its changes.
func (w *world) recording() *change.Log {
	w.options.Changes = filepath.Join(filepath.Dir(w.workspace), "data", "changes")
	return change.Open(w.options.Changes)
}

// holds fails the test unless a file of the workspace holds a text.
func (w *world) holds(path, want string) {
	w.t.Helper()
	got, err := os.ReadFile(filepath.Join(w.workspace, path))
	if err != nil || string(got) != want {
		w.t.Errorf("%s holds %.300q, %v; want %.300q", path, got, err, want)
	}
}

// leftovers fails the test if a prepared file is still there.
func (w *world) leftovers() {
	w.t.Helper()
	w.must(filepath.WalkDir(w.workspace, func(path string, _ os.DirEntry, err error) error {
		if strings.Contains(filepath.Base(path), ".shelly-") {
			w.t.Errorf("%s is left", path)
		}
		return err
	}))
}

func TestTOL22AFileIsWrittenWhole(t *testing.T) {
	for _, c := range []struct{ name, path, content, text string }{
		{"new", "new.txt", "one\ntwo\n", "created new.txt (2 lines, 8 bytes)\n"},
		{"new, without an end of line", "new.txt", "one", "created new.txt (1 line, 3 bytes)\n"},
		{"empty", "new.txt", "", "created new.txt (0 lines, 0 bytes)\n"},
		{"in new folders", "a/b/c/new.txt", "x\n", "created a/b/c/new.txt (1 line, 2 bytes)\n"},
		{"over an old one", "notes.txt", "alpha\ndelta\ngamma\n", "wrote notes.txt (3 lines, 18 bytes)\n@@ -1,3 +1,3 @@\n alpha\n-beta format\n+delta\n gamma\n"},
		{"the same", "notes.txt", "alpha\nbeta format\ngamma\n", "notes.txt holds exactly that already; nothing was written"},
		{"by an absolute path", "{{ws}}/src/./new.go", "x", "created {{ws}}/src/./new.go (1 line, 1 byte)\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			in := func(s string) string { return strings.ReplaceAll(s, "{{ws}}", w.workspace) }
			got := w.call("write_file", object{"path": in(c.path), "content": c.content})
			same(t, fsm.ToolAnswered{Text: in(c.text)}, got)
			w.holds(strings.TrimPrefix(in(c.path), w.workspace+"/"), c.content)
			w.leftovers()
		})
	}
}

// A text whose escapes were escaped would be one long line.
func TestTOL22ATextThatIsEscapedTwiceIsRefused(t *testing.T) {
	for text, refused := range map[string]bool{ // order-free: each alone
		`import os\nprint(\"a\")\n`: true, `# Title\n\nText`: true, `a\n`: true, `x = "a\nb"\ny = 1\nz = 2`: true,
		`# Don't do it\nx = 1\n`: true, `isn't, or aren't\nhe's\n`: true, `I'm\nat 5 o'clock\n`: true, `print(f'hello\nyou\n')`: false, `say('a\nb\n', u'c\nd\n')`: false,
		"import os\nprint(1)\\n\\n": false, `a\nb`: false, `{"a": "b\nc\nd"}`: false, `printf 'a\nb\n'`: false, "`\\n\\n`": false, `\\n\\n\\n`: false, `\t\t`: false, `\`: false, "": false,
	} {
		w := newWorld(t)
		const why = " is one line with \\n in it; nothing was written: escape its line ends once, or if it is meant so, end it with one"
		got := w.call("write_file", object{"path": "src/new.py", "content": text})
		if got.Invalid != refused || refused && got.Text != "content"+why {
			t.Errorf("%s: got %+v", text, got)
		}
		if got := w.call("edit_file", object{"path": "src/newer.py", "old": "", "new": text}); got.Invalid != refused || refused && got.Text != "new"+why {
			t.Errorf("%s: got %+v", text, got)
		}
		if refused {
			if got := w.call("write_file", object{"path": "src/new.py", "content": text + "\n"}); got.Failed {
				t.Errorf("%s, as it is meant: %+v", text, got)
			}
		}
	}
}

// What an edit puts there is a text of several lines by an indentation or a blank line only: what begins with a letter
// may be a path, or a command of TeX.
func TestTOL22AnEditThatIsEscapedTwiceIsRefused(t *testing.T) {
	for new, refused := range map[string]bool{ // order-free: each alone
		`x = 1\n    return x`: true, `x := 1\n\treturn x`: true, `a\n\nb`: true, `a\n`: false, `// ends with \r\n or \n`: false, `# don't\n\n`: true,
		"x = 1\n    return x": false, `$\nabla \nu$`: false, `C:\new\notes`: false, `print("a\n\n")`: false, `split(/[\r\n]+/)`: false, `\\n\\n`: false,
	} {
		w := newWorld(t)
		w.write("a.py", "return 1\na = 'b\\n'\n")
		got := w.call("edit_file", object{"path": "a.py", "old": "return 1", "new": new})
		if got.Invalid != refused || refused && got.Text != "new is one line with \\n in it; nothing was changed: escape its line ends once, or if it is meant so, end old and new with one" {
			t.Errorf("%s: got %+v", new, got)
		}
		if refused {
			if got := w.call("edit_file", object{"path": "a.py", "old": "a = 'b\\n'", "new": new}); got.Failed {
				t.Errorf("%s, of what has \\n: got %+v", new, got)
			}
			if got := w.call("edit_file", object{"path": "a.py", "old": "return 1\n", "new": new + "\n"}); got.Failed {
				t.Errorf("%s, as it is meant: got %+v", new, got)
			}
		}
	}
}

// Mode, line ends, encoding and byte-order mark stay as they were.
func TestTOL22AWrittenFileStaysAsItIsWritten(t *testing.T) {
	for _, c := range []struct{ name, held, content, want, note string }{
		{"CRLF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n", "; as before with CRLF line ends"},
		{"CRLF given", "a\r\nb\r\n", "a\r\nc\r\n", "a\r\nc\r\n", "; as before with CRLF line ends"},
		{"both line ends", "a\r\nb\n", "a\nc\n", "a\nc\n", ""},
		{"a mark", "\uFEFFhi\n", "ho\n", "\uFEFFho\n", "; as before with a byte-order mark"},
		{"a mark given", "\uFEFFhi\n", "\uFEFFho\n", "\uFEFFho\n", "; as before with a byte-order mark"},
		{"GBK", encoded(t, gb, "你好，世界。\n"), "再见。\n", encoded(t, gb, "再见。\n"), "; as before with GBK"},
		{"UTF-16 with a mark", encoded(t, le, "plain\n"), "other\n", encoded(t, le, "other\n"), "; as before with UTF-16LE"},
		{"UTF-16 without one", encoded(t, beBare, "plain text\n"), "other\n", encoded(t, beBare, "other\n"), "; as before with UTF-16BE"},
		{"Latin-1", encoded(t, latin1, "créée par les élèves\n"), "été\n", encoded(t, latin1, "été\n"), "; as before with Windows-1252 (Latin-1)"},
		{"Latin-1 that lacks it", encoded(t, latin1, "créée par les élèves\n"), "你\n", "你\n", "; it is now written in UTF-8, since Windows-1252 (Latin-1), in which it was, lacks some of these characters"},
		{"Latin-1 that lacks it, with CRLF", encoded(t, latin1, "créée par les élèves\r\n"), "你\n", "你\r\n", "; it is now written in UTF-8, since Windows-1252 (Latin-1), in which it was, lacks some of these characters"},
		{"binary", "\x00\x01\x02", "text\n", "text\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("f", c.held)
			w.must(os.Chmod(filepath.Join(w.workspace, "f"), 0o751))
			got := w.call("write_file", object{"path": "f", "content": c.content})
			w.holds("f", c.want)
			if first, _, _ := strings.Cut(got.Text, "\n"); !strings.HasSuffix(first, fmt.Sprintf(" bytes%s)", c.note)) {
				t.Errorf("got %q; want it to end with %q", first, " bytes"+c.note+")")
			}
			if info, err := os.Stat(filepath.Join(w.workspace, "f")); err != nil || info.Mode() != 0o751 {
				t.Errorf("the mode is %v, %v", info.Mode(), err)
			}
		})
	}
}

// A line end that the file keeps is not a change.
func TestTOL22TheDiffLeavesOutTheLineEndsThatAreKept(t *testing.T) {
	w := newWorld(t)
	w.write("f", "a\r\nb\r\n")
	got := w.call("write_file", object{"path": "f", "content": "a\r\nc\r\n"})
	if want := "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"; !strings.HasSuffix(got.Text, want) {
		t.Errorf("got %q, want %q at its end", got.Text, want)
	}
}

// Both tools refuse the same places, and a refused call changes nothing.
func TestTOL24PathsThatAreNotWritten(t *testing.T) {
	for _, c := range []struct {
		name, path, want string
		setup            func(*world)
	}{
		{"outside", "../outside/new.txt", "is outside the workspace", nil},
		{"absolute outside", "{{outside}}/canary.txt", "is outside the workspace", nil},
		{"through a folder link", "link_out/new.txt", "leads out of the workspace", nil},
		{"through a folder link, new folders", "link_out/a/b/new.txt", "leads out of the workspace", nil},
		{"a file link", "lnk", "leads out of the workspace", func(w *world) { w.symlink("../outside/canary.txt", "lnk") }},
		{"a link to nothing", "lnk", "is a symbolic link, or goes through one, that leads to nothing", func(w *world) { w.symlink("../outside/new.txt", "lnk") }},
		{"below a link to nothing", "lnk/x", "is a symbolic link, or goes through one, that leads to nothing", func(w *world) { w.symlink("../outside/newdir", "lnk") }},
		{"a loop", "loop", "too many symbolic links", func(w *world) { w.symlink("loop", "loop") }},
		{"the workspace", ".", "is a directory", nil},
		{"a folder", "src", "is a directory", nil},
		{"a folder's name", "new/", "is the name of a folder", nil},
		{"in quotes", `"new.txt"`, `"\"new.txt\"" is not written as a path is; nothing was written: give "new.txt" if that is meant`, nil},
		{"in other quotes", "`a/new.txt`", `give "a/new.txt" if that is meant`, nil},
		{"after a blank", " new.txt", `give "new.txt" if that is meant`, nil},
		{"before a line end", "new.txt\n", `give "new.txt" if that is meant`, nil},
		{"with backslashes", `src\sub\new.txt`, `give "src/sub/new.txt" if that is meant`, nil},
		{"at home", "~/new.txt", `give "new.txt" if that is meant`, nil},
		{"as an address", "file://new.txt", `give "new.txt" if that is meant`, nil},
		{"below a file", "notes.txt/x", "leads through a file as if it were a folder", nil},
		{"empty", " ", "path is empty", nil},
		{"NUL", "a\x00b", "holds a NUL byte", nil},
		{"too deep", strings.Repeat("a/", 300) + "x", "more than 255 parts", nil},
		{"a named pipe", "fifo", "is a named pipe, not a regular file", func(w *world) { w.fifo("fifo") }},
		{"a hard link", "twin", "is refused: write a file of another name", func(w *world) { w.link(filepath.Join(w.outside, "canary.txt"), "twin") }},
		{"read-only", "ro", "permission denied", func(w *world) {
			w.write("ro", "x")
			w.must(os.Chmod(filepath.Join(w.workspace, "ro"), 0o444))
		}},
		{"git's hooks", ".git/hooks/pre-commit", "belongs to git's own folder", nil},
		{"git's folder in another case", "sub/.GIT/config", "belongs to git's own folder", nil},
		{"git's folder with a letter that has no width", ".g\u200cit/config", "belongs to git's own folder", nil},
		{"git's folder by a link", "innocent/config", "belongs to git's own folder", func(w *world) {
			w.write(".git/HEAD", "x")
			w.symlink(".git", "innocent")
		}},
		{"hooks that a configuration names", "husky/.hooks/pre-commit", "core.hooksPath or include.path", func(w *world) {
			w.write("husky/.git/config", "[core]\nhooksPath = .hooks\n")
			w.write("husky/.hooks/post-commit", "")
		}},
		{"git's file of a worktree", ".git", "belongs to git's own folder", nil},
		{"the agent's data", "state/x", "belongs to the agent itself", func(w *world) { w.write("state/journal", secret) }},
		{"the agent's configuration", "conf/shelly.yaml", "the agent's own configuration", nil},
		{"the agent's configuration by a link", "innocent.yaml", "the agent's own configuration", func(w *world) {
			w.write("conf/shelly.yaml", "canary")
			w.symlink("conf/shelly.yaml", "innocent.yaml")
		}},
		{"the agent's configuration that is to come, in a folder by another name", "conf/later.yaml", "the agent's own configuration", func(w *world) {
			w.write("conf/shelly.yaml", "canary")
			w.symlink("conf", "linked")
		}},
		{"the agent's configuration, which has another name itself", "conf/shelly.yaml", "the agent's own configuration", func(w *world) {
			w.write("conf/shelly.yaml", "canary")
			w.symlink("conf", "etc")
			w.options.Settings = []string{filepath.Join(w.workspace, "missing.yaml"), filepath.Join(w.workspace, "etc", "shelly.yaml")}
		}},
		{"secrets", ".env", "may hold secrets", nil},
		{"secrets in place", "key", "may hold secrets", func(w *world) { w.write("key", privateKey) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, args := range []object{{"content": "x"}, {"old": "canary", "new": "x"}, {"old": "", "new": "x"}} {
				w := newWorld(t)
				log := w.recording()
				w.options.Private = []string{filepath.Join(w.workspace, "state")}
				w.options.Settings = []string{filepath.Join(w.workspace, "conf", "shelly.yaml"), filepath.Join(w.workspace, "linked", "later.yaml")}
				if c.setup != nil {
					c.setup(w)
				}
				before := tree(t, filepath.Dir(w.workspace))
				args["path"] = strings.ReplaceAll(c.path, "{{outside}}", w.outside)
				name := "write_file"
				if _, edits := args["new"]; edits {
					name = "edit_file"
				}
				got := w.call(name, args)
				if !got.Failed || !got.Invalid || !strings.Contains(got.Text, c.want) {
					t.Errorf("%s: %+v, want %q", name, got, c.want)
				}
				w.must(os.RemoveAll(filepath.Join(filepath.Dir(w.workspace), "data")))
				if diff := cmp.Diff(before, tree(t, filepath.Dir(w.workspace))); diff != "" {
					t.Errorf("%s has changed something (-before +after)\n%s", name, diff)
				}
				if left, err := log.List(""); err != nil || len(left) > 0 {
					t.Errorf("recorded: %v, %v", left, err)
				}
			}
		})
	}
}

const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ==\n-----END OPENSSH PRIVATE KEY-----\n"

// tree is what a folder holds: the content of each file by its path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	held := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type().IsRegular():
			text, err := os.ReadFile(path)
			held[path] = string(text)
			return err
		case e.Type()&os.ModeSymlink != 0:
			held[path], err = os.Readlink(path)
			return err
		}
		held[path] = e.Type().String()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// A fence around a text is part of a reply, not of the file, unless it is a file of texts.
func TestTOL22AFenceIsNotWritten(t *testing.T) {
	const text = "```go\npackage main\n```\n"
	for _, c := range []struct {
		tool, want string
		args       object
	}{
		{"write_file", "content is in a fence (```), which would stand in the file; nothing was written: give it without", object{"path": "new.go", "content": text}},
		{"write_file", "content is in a fence", object{"path": "src/main.go", "content": text}},
		{"edit_file", "new is in a fence", object{"path": "src/main.go", "old": "package main", "new": text}},
		{"edit_file", "new is in a fence", object{"path": "new.go", "old": "", "new": text}},
		{"write_file", "", object{"path": "new.md", "content": text}},
		{"write_file", "", object{"path": "odd.inc", "content": text}},
		{"write_file", "", object{"path": "new.go", "content": "a\n" + text}},
		{"edit_file", "", object{"path": "readme.md", "old": "text", "new": text}},
	} {
		w := newWorld(t)
		w.write("odd.inc", "```\nodd\n```\n")
		w.write("readme.md", "text\n")
		before := tree(t, w.workspace)
		got := w.call(c.tool, c.args)
		if got.Failed != (c.want != "") || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s %v: %+v, want %q", c.tool, c.args, got, c.want)
		}
		if diff := cmp.Diff(before, tree(t, w.workspace)); (diff == "") != got.Failed {
			t.Errorf("%s %v: (-before +after)\n%s", c.tool, c.args, diff)
		}
	}
}

// What runs as somebody else does not run a model's text so; the result says what is gone.
func TestTOL22AChangedFileRunsAsNobodyElse(t *testing.T) {
	for mode, says := range map[os.FileMode]bool{0o755 | os.ModeSetuid: true, 0o755 | os.ModeSetgid: true, 0o755: false} {
		w := newWorld(t)
		path := filepath.Join(w.workspace, "old.txt")
		w.must(os.Chmod(path, mode))
		got := w.call("write_file", object{"path": "old.txt", "content": "new\n"})
		if got.Failed || strings.Contains(got.Text, "; without its set-user-id or set-group-id bit") != says {
			t.Errorf("%v: %+v", mode, got)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o755 {
			t.Errorf("%v: %v, %v", mode, info.Mode(), err)
		}
	}
}

// A name that looks odd is taken where it is there already, and where it is no odd one.
func TestTOL24AnOddNameThatIsMeantIsWritten(t *testing.T) {
	w := newWorld(t)
	w.write("`odd`", "x\n")
	w.write("~/in/old.txt", "x\n")
	for _, path := range []string{"`odd`", "~/in/new.txt", `mnt-my\x2ddata.mount`, "it's.txt", "a b.txt", "10:30", `say "hi".txt`} {
		if got := w.call("write_file", object{"path": path, "content": "y\n"}); got.Failed {
			t.Errorf("%s: %+v", path, got)
		}
		w.holds(path, "y\n")
	}
}

// A link inside the workspace stays a link, and its target is written.
func TestTOL24ALinkIsFollowedInsideTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.symlink("notes.txt", "lnk")
	w.symlink("src", "folder")
	for _, path := range []string{"lnk", "folder/util.py", "folder/new/x.py"} {
		if got := w.call("write_file", object{"path": path, "content": "x\n"}); got.Failed {
			t.Errorf("%s: got %+v; want not Failed", path, got)
		}
	}
	w.holds("notes.txt", "x\n")
	w.holds("src/util.py", "x\n")
	w.holds("src/new/x.py", "x\n")
	if target, err := os.Readlink(filepath.Join(w.workspace, "lnk")); err != nil || target != "notes.txt" {
		t.Errorf("the link is %q, %v", target, err)
	}
}

// If the tools reach everywhere, they write everywhere except in the daemon's own data.
func TestTOL24WithoutTheRestrictionFilesOutsideAreWritten(t *testing.T) {
	w := newWorld(t)
	w.options.Everywhere = true
	w.options.Private = []string{filepath.Join(w.outside, "data")}
	w.write("../outside/data/x", "x")
	for _, path := range []string{"../outside/new.txt", filepath.Join(w.outside, "deep", "new.txt"), "link_out/by-link.txt", "notes.txt"} {
		if got := w.call("write_file", object{"path": path, "content": "x\n"}); got.Failed {
			t.Errorf("%s: got %+v; want not Failed", path, got)
		}
	}
	w.holds("../outside/new.txt", "x\n")
	w.holds("../outside/deep/new.txt", "x\n")
	w.holds("../outside/by-link.txt", "x\n")
	for _, path := range []string{"link_out/data/x", "/proc/self/comm", filepath.Join(w.outside, "data", "new")} {
		if got := w.call("write_file", object{"path": path, "content": "y"}); !strings.Contains(got.Text, "belongs to the agent itself") {
			t.Errorf("%s: got %+v; want Text with %q", path, got, "belongs to the agent itself")
		}
	}
}

// If the disk is full, or somebody else writes the file, the old content stays.
func TestTOL24AFailureLeavesTheOldContent(t *testing.T) {
	w := newWorld(t)
	tools := w.tools()
	p, err := tools.place(guard(t), "notes.txt")
	w.must(err)
	w.write("notes.txt", "of somebody else\n")
	if renamed, err := p.replace(".shelly-x.tmp", []byte("mine")); renamed || !errors.Is(err, errChanged) {
		t.Errorf("replaced what has changed: %v, %v", renamed, err)
	}
	w.holds("notes.txt", "of somebody else\n")
	p, err = tools.place(guard(t), "new.txt")
	w.must(err)
	w.write("new.txt", "of somebody else\n")
	if renamed, err := p.replace(".shelly-x.tmp", []byte("mine")); renamed || !errors.Is(err, errChanged) {
		t.Errorf("replaced what is new: %v, %v", renamed, err)
	}
	w.holds("new.txt", "of somebody else\n")
	w.leftovers()
	old, err := tools.place(guard(t), "notes.txt")
	w.must(err)
	if got := tool.Undone(unwritten(old, errChanged)); !got.Invalid || !strings.Contains(got.Text, "read it again") {
		t.Errorf("got %+v; want Invalid, a Text with %q", got, "read it again")
	}
	full := unwritten(old, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if got := tool.Undone(full); !got.Nothing || got.Text != `"notes.txt": no space left on device; the file is as it was` {
		t.Errorf("got %+v; want Nothing, Text %q", got, `"notes.txt": no space left on device; the file is as it was`)
	}
	fresh := unwritten(&place{shown: "fresh.txt"}, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if got := tool.Undone(fresh); !got.Nothing || got.Text != `"fresh.txt": no space left on device; nothing was written` {
		t.Errorf("got %+v; want Nothing, Text %q", got, `"fresh.txt": no space left on device; nothing was written`)
	}
}

func TestTOL24NothingIsWrittenOnceTheCallIsGivenUp(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := w.tools().writeFile(ctx, fsm.RunTool{}, tool.Arguments{"path": "notes.txt", "content": "x"})
	if !got.Failed {
		t.Errorf("got %+v; want Failed", got)
	}
	w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
}

// A reader who opens the file while it is written again and again finds one of the contents,
// whole.
func TestTOL24ReadersSeeOldOrNew(t *testing.T) {
	w := newWorld(t)
	w.recording()
	r := w.runner()
	path := filepath.Join(w.workspace, "f")
	texts := []string{strings.Repeat("A", 100_000), strings.Repeat("B", 50_000)}
	w.write("f", texts[0])
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			r.Run(context.Background(), fsm.RunTool{Name: "write_file", Key: fmt.Sprint(i), Args: fmt.Sprintf(`{"path": "f", "content": %q}`, texts[(i+1)%2])})
		}
	}()
	for {
		if got, err := os.ReadFile(path); err != nil || string(got) != texts[0] && string(got) != texts[1] {
			t.Fatalf("read %d bytes, %v", len(got), err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func TestWrittenIsRead(t *testing.T) {
	w := newWorld(t)
	r := w.runner()
	rapid.Check(t, func(rt *rapid.T) {
		content := rapid.StringOf(rapid.RuneFrom([]rune("ab é你\r\n\t😀"))).Draw(rt, "content")
		name := fmt.Sprintf("w%d", rapid.IntRange(0, 1<<30).Draw(rt, "name"))
		args := fmt.Sprintf(`{"path": %q, "content": %s}`, name, mustJSON(rt, content))
		if got := r.Run(context.Background(), fsm.RunTool{Name: "write_file", Args: args}); got.Failed {
			rt.Fatalf("got %+v; want not Failed", got)
		}
		if held, err := os.ReadFile(filepath.Join(w.workspace, name)); err != nil || string(held) != content {
			rt.Fatalf("got %q, %v; want %q", held, err, content)
		}
		_ = os.Remove(filepath.Join(w.workspace, name))
	})
}
