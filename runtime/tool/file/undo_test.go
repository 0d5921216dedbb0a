package file

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/tool/file/change"
)

// change runs a call of a session with a new key.
func (w *world) change(key, session, name string, args object) fsm.ToolAnswered {
	w.t.Helper()
	raw, err := json.Marshal(args)
	w.must(err)
	got := w.runner().Run(guard(w.t), fsm.RunTool{Name: name, Key: key, Session: session, Args: string(raw)})
	if got.Failed {
		w.t.Fatalf("%s: got %+v; want not Failed", key, got)
	}
	return got
}

// undo undoes the last n changes of a session.
func (w *world) undo(log *change.Log, session string, n int) error {
	w.t.Helper()
	entries, err := log.List(session)
	w.must(err)
	for _, e := range entries[:n] {
		if err := Undo(guard(w.t), log, e); err != nil {
			return err
		}
	}
	return nil
}

func TestTOL27TheLastChangesOfASessionAreUndone(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	w.must(os.Chmod(filepath.Join(w.workspace, "notes.txt"), 0o700))
	w.change("1", "a", "write_file", object{"path": "notes.txt", "content": "one\n"})
	w.change("2", "a", "edit_file", object{"path": "notes.txt", "old": "one", "new": "two"})
	w.change("3", "b", "write_file", object{"path": "b.txt", "content": "b\n"})
	w.change("4", "a", "write_file", object{"path": "new/a.txt", "content": "a\n"})
	w.must(w.undo(log, "a", 2))
	w.holds("notes.txt", "one\n")
	w.holds("b.txt", "b\n")
	if _, err := os.Stat(filepath.Join(w.workspace, "new/a.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was new is there: %v", err)
	}
	w.must(w.undo(log, "b", 1))
	if err := w.undo(log, "a", 3); err == nil || !strings.Contains(err.Error(), "undone already") {
		t.Errorf("a second time: %v", err)
	}
	entries, err := log.List("a")
	w.must(err)
	w.must(Undo(guard(t), log, entries[2]))
	w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
	if info, err := os.Stat(filepath.Join(w.workspace, "notes.txt")); err != nil || info.Mode() != 0o700 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	w.leftovers()
}

// Folders that were made for a file go with it, unless something else is in them.
func TestTOL27FoldersThatWereMadeForAFileGoWithIt(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	gone := func(name string, want bool) {
		t.Helper()
		if _, err := os.Lstat(filepath.Join(w.workspace, name)); errors.Is(err, os.ErrNotExist) != want {
			t.Errorf("%s is gone: %v, want %v", name, !want, want)
		}
	}
	w.must(os.Mkdir(filepath.Join(w.workspace, "old"), 0o700))
	w.change("1", "a", "write_file", object{"path": "old/a/b/one.txt", "content": "1\n"})
	w.change("2", "a", "write_file", object{"path": "old/a/two.txt", "content": "2\n"})
	w.change("3", "a", "write_file", object{"path": "old/a/c/three.txt", "content": "3\n"})
	w.must(w.undo(log, "a", 1))
	gone("old/a/c", true)
	gone("old/a/two.txt", false)
	entries, err := log.List("a")
	w.must(err)
	w.must(Undo(guard(t), log, entries[2]))
	gone("old/a/b", true)
	gone("old/a/two.txt", false)
	w.must(Undo(guard(t), log, entries[1]))
	w.change("4", "a", "write_file", object{"path": "x/y/four.txt", "content": "4\n"})
	w.must(w.undo(log, "a", 1))
	gone("x", true)
	gone("old", false)
}

// A name that is not UTF-8 can be given as the tools show it, and its change is undone.
func TestTOL3AFileWhoseNameIsNotUTF8CanBeNamed(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	w.must(os.Mkdir(filepath.Join(w.workspace, "d\xff"), 0o700))
	w.write("d\xff/caf\xe9.txt", "one\n")
	w.write(`lit\xe9`, "literal\n")
	w.write("lit\xe9", "byte\n")
	ask := func(name string, args object, want string) {
		t.Helper()
		if got := w.change(name+fmt.Sprint(args), "a", name, args); !strings.Contains(got.Text, want) {
			t.Errorf("%s %v: %q lacks %q", name, args, got.Text, want)
		}
	}
	ask("list_dir", object{"path": `d\xff`}, "caf\\xe9.txt  4 bytes\n")
	ask("glob", object{"pattern": "**/*.txt"}, "d\\xff/caf\\xe9.txt\n")
	ask("grep", object{"pattern": "^one"}, "d\\xff/caf\\xe9.txt")
	ask("read_file", object{"path": `d\xff/caf\xe9.txt`}, "one\n")
	ask("edit_file", object{"path": `d\xff/caf\xe9.txt`, "old": "one", "new": "two"}, "+two\n")
	w.holds("d\xff/caf\xe9.txt", "two\n")
	w.must(w.undo(log, "a", 1))
	w.holds("d\xff/caf\xe9.txt", "one\n")
	w.write("d\xff/caf\xe9.txt", "by a person\n")
	ask("write_file", object{"path": `d\xff/caf\xe9.txt`, "content": "by the model\n"}, "wrote")
	w.write("d\xff/caf\xe9.txt", "by a person again\n")
	if err := w.undo(log, "a", 1); err == nil || !strings.Contains(err.Error(), `d\xff/caf\xe9.txt has been changed since`) {
		t.Errorf("what has changed since: %v", err)
	}
	w.write("d\xff/caf\xe9.txt", "by the model\n")
	w.must(w.undo(log, "a", 1))
	ask("write_file", object{"path": `d\xff/new.txt`, "content": "new\n"}, "created")
	w.holds("d\xff/new.txt", "new\n")
	w.must(w.undo(log, "a", 1))
	ask("read_file", object{"path": `lit\xe9`}, "literal\n") // what is there as it is written comes first
}

// A path has one way to be written: approvals go by it.
func TestTOL3AnEscapeStandsOnlyForAByteThatIsNotUTF8(t *testing.T) {
	w := newWorld(t)
	w.write("größe.txt", "1\n")
	for _, path := range []string{`gr\xc3\xb6\xc3\x9fe.txt`, `n\x6ftes.txt`} {
		raw, err := json.Marshal(object{"path": path})
		w.must(err)
		if got := w.runner().Run(guard(t), fsm.RunTool{Name: "read_file", Key: path, Args: string(raw)}); !got.Failed {
			t.Errorf("%s is read: %q", path, got.Text)
		}
	}
}

// A file that is not as the change left it is not touched.
func TestTOL27WhatHasChangedSinceIsNotUndone(t *testing.T) {
	for want, meanwhile := range map[string]func(*world){
		"has been changed since": func(w *world) { w.write("notes.txt", "by a person\n") },
		"is gone":                func(w *world) { w.must(os.Remove(filepath.Join(w.workspace, "notes.txt"))) },
		"moved.txt is gone": func(w *world) {
			w.change("2", "a", "write_file", object{"path": "moved.txt", "content": "new\n"})
			w.must(os.Rename(filepath.Join(w.workspace, "moved.txt"), filepath.Join(w.workspace, "there.txt")))
		},
		"is not a regular file any more": func(w *world) { w.must(os.Remove(filepath.Join(w.workspace, "notes.txt"))); w.fifo("notes.txt") },
		"was too large to be kept": func(w *world) {
			w.write("notes.txt", strings.Repeat("x", change.TextMax+1))
			w.change("2", "a", "write_file", object{"path": "notes.txt", "content": "small\n"})
		},
	} {
		w := newWorld(t)
		log := w.recording()
		w.change("1", "a", "write_file", object{"path": "notes.txt", "content": "one\n"})
		meanwhile(w)
		before := tree(t, w.workspace)
		err := w.undo(log, "a", 1)
		if !errors.Is(err, ErrNotUndone) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if fmt.Sprint(before) != fmt.Sprint(tree(t, w.workspace)) {
			t.Errorf("%s: something has changed", want)
		}
	}
}

// What others have done since the changes were listed counts: somebody may have undone the same one, the
// daemon may have ended it, and it may have been dropped.
func TestTOL27AChangeIsUndoneAsItIsNow(t *testing.T) {
	for want, meanwhile := range map[string]func(*world, *change.Entry){
		"":                                func(w *world, e *change.Entry) { w.must(e.End()) },
		"it has been undone already":      func(w *world, e *change.Entry) { w.must(errors.Join(e.End(), e.Undo())) },
		"its record is not kept any more": func(w *world, e *change.Entry) { w.must(e.Drop()) },
	} {
		w := newWorld(t)
		log := w.recording()
		w.must(os.MkdirAll(w.options.Changes, 0o700))
		e, err := log.Begin(change.Record{Key: "1", Session: "a", Tool: "write_file", Folder: w.workspace, Name: "old.txt", Temp: ".t.tmp", Before: change.Hash([]byte("old\n")), After: change.Hash([]byte("new\n"))}, []byte("old\n"))
		w.must(err)
		w.write("old.txt", "new\n")
		entries, err := log.List("a")
		w.must(err)
		meanwhile(w, e)
		if err := Undo(guard(t), log, entries[0]); (want == "") != (err == nil) || want != "" && (!errors.Is(err, ErrNotUndone) || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
		if want == "" {
			w.holds("old.txt", "old\n")
		} else {
			w.holds("old.txt", "new\n")
		}
		if left, err := log.List("a"); err != nil || want != "its record is not kept any more" && (len(left) != 1 || left[0].State != change.Undone) {
			t.Errorf("%q: %v, %v", want, left, err)
		}
	}
}

// What was done to a file is shown as its text, also if that is empty now.
func TestTOL27TheDiffOfAChangeIsThatOfItsTexts(t *testing.T) {
	for _, c := range []struct{ held, content, want string }{
		{"one\ntwo\n", "", "@@ -1,2 +0,0 @@\n-one\n-two\n"},
		{"\xff\xfeo\x00n\x00e\x00\n\x00", "two\n", "@@ -1 +1 @@\n-one\n+two\n"},
	} {
		w := newWorld(t)
		log := w.recording()
		w.write("notes.txt", c.held)
		w.change("1", "a", "write_file", object{"path": "notes.txt", "content": c.content})
		entries, err := log.List("a")
		w.must(err)
		if got := Diff(entries[0]); got != c.want {
			t.Errorf("%q became %q: %q, want %q", c.held, c.content, got, c.want)
		}
	}
}

// A change that a crash left without an end is undone like any other, if it was made.
func TestTOL27AChangeBeforeACrashIsUndone(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	w.crashed("end", "new\n")
	w.must(w.undo(log, "cli:direct", 1))
	w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
}

// A change that a crash kept from being made, or whose file somebody has put back, is no obstacle
// to those before it.
func TestTOL27AChangeWhoseFileIsAsBeforeCountsAsUndone(t *testing.T) {
	for name, meanwhile := range map[string]func(*world){
		"not made": func(w *world) { w.crashed("prepare", "two\n") },
		"put back": func(w *world) {
			w.change("2", "cli:direct", "write_file", object{"path": "notes.txt", "content": "two\n"})
			w.write("notes.txt", "one\n")
		},
		"new, not made": func(w *world) {
			_, err := change.Open(w.options.Changes).Begin(change.Record{
				Key: "2", Session: "cli:direct", Folder: filepath.Join(w.workspace, "new/a"), Name: "x.txt", After: change.Hash([]byte("x")), Made: 2,
			}, nil)
			w.must(err)
			w.must(os.Mkdir(filepath.Join(w.workspace, "new"), 0o700)) // the kill came then
		},
	} {
		w := newWorld(t)
		log := w.recording()
		w.change("1", "cli:direct", "write_file", object{"path": "notes.txt", "content": "one\n"})
		meanwhile(w)
		if err := w.undo(log, "cli:direct", 2); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
		if _, err := os.Lstat(filepath.Join(w.workspace, "new")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the folder that was made is there: %v", name, err)
		}
		entries, err := log.List("")
		w.must(err)
		for _, e := range entries {
			if e.State != change.Undone {
				t.Errorf("%s: change %s is %s", name, e.ID(), e.State)
			}
		}
	}
}
