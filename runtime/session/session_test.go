package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

// fixture is sessions over real files and over a store on a file system that a crash reverts to
// what was synced.
type fixture struct {
	*session.Sessions
	t     testing.TB
	data  string
	disk  *vfs.MemFS
	store *store.Store
	cut   *cut
	at    int64 // the time, in milliseconds
}

func (f *fixture) now() time.Time { return time.UnixMilli(f.at) }

// cut is a layer over a store at which the process may end.
type cut struct {
	*store.Store
	crashes bool
}

var errCrash = errors.New("the process has ended")

func (c *cut) PutSession(id string, body []byte, archived [][]byte) error {
	if c.crashes {
		return errCrash
	}
	return c.Store.PutSession(id, body, archived)
}

func start(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, data: t.TempDir(), disk: vfs.NewCrashableMem()}
	f.open()
	t.Cleanup(func() { f.close() })
	return f
}

func (f *fixture) open() {
	f.t.Helper()
	var err error
	if f.store, err = store.Open("store", store.Options{FS: f.disk}); err != nil {
		f.t.Fatal(err)
	}
	f.cut = &cut{Store: f.store}
	if f.Sessions, err = session.Open(f.data, f.cut, f.now); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) close() {
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
}

// crash loses what the store has not synced.
func (f *fixture) crash() {
	f.t.Helper()
	after := f.disk.CrashClone(vfs.CrashCloneCfg{})
	f.close()
	f.disk = after
	f.open()
}

// sync makes the store durable, as the next barrier does.
func (f *fixture) sync() {
	f.t.Helper()
	if err := f.store.Append(engine.Batch{}, true); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) path(name string) string { return filepath.Join(f.data, "memory", name) }

func (f *fixture) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(f.path(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		f.t.Fatal(err)
	}
	return string(text)
}

// edit makes a person's edit.
func (f *fixture) edit(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(f.path(name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) load(id string) fsm.Session {
	f.t.Helper()
	s, err := f.Load(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

// save saves e, and fails the test unless conflict is as given.
func (f *fixture) save(e fsm.SaveSession, conflict bool) fsm.Session {
	f.t.Helper()
	now, got, err := f.Save(context.Background(), e)
	if err != nil || got != conflict {
		f.t.Fatalf("Save of turn %s: conflict %v, error %v; want conflict %v", e.Turn, got, err, conflict)
	}
	return now
}

func user(text string) fsm.Message { return fsm.Message{Role: fsm.RoleUser, Text: text} }

// turn returns what a handle would save over a loaded session.
func turn(name string, over fsm.Session, said string) fsm.SaveSession {
	over.History = append(over.History[:len(over.History):len(over.History)], user(said))
	return fsm.SaveSession{Session: "s", Turn: name, State: over, Archive: []fsm.Message{user(said)}}
}

// learn turns a save into one that consolidates.
func learn(e fsm.SaveSession, memory, note string) fsm.SaveSession {
	e.State.Memory, e.Memory, e.Notes = memory, true, []string{note}
	return e
}

func (f *fixture) archive(id string) (texts []string) {
	f.t.Helper()
	parts, err := f.Archive(id, 0, 100)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, p := range parts {
		texts = append(texts, p.Turn+" "+p.Message.Text)
	}
	return texts
}

func TestSES3ASessionIsWhatWasSaved(t *testing.T) {
	f := start(t)
	if got := f.load("s"); !cmp.Equal(got, fsm.Session{}) {
		t.Errorf("a session never saved is %+v", got)
	}
	e := turn("h1", f.load("s"), "hello")
	e.State.Pending = []fsm.Message{user("old")}
	e.State.Skills = []fsm.LoadedSkill{{Name: "release", Text: "1. Run the tests."}}
	e.State.Ratio = 1100
	f.save(e, false)
	f.sync()
	f.crash()
	want := e.State
	want.Version = 1
	if diff := cmp.Diff(want, f.load("s")); diff != "" {
		t.Errorf("session (-saved +loaded):\n%s", diff)
	}
	f.at = 1000
	f.save(turn("h2", f.load("s"), "again"), false)
	f.save(fsm.SaveSession{Session: "other", Turn: "h3"}, false)
	if diff := cmp.Diff([]string{"h1 hello", "h2 again"}, f.archive("s")); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	list, err := f.List()
	listed := []session.Listed{{ID: "s", Version: 2, Messages: 2, Last: 2, At: 1000}}
	if diff := cmp.Diff(listed, list); diff != "" || err != nil {
		t.Errorf("list (-want +got), error %v:\n%s", err, diff)
	}
	if f.read("MEMORY.md") != "" || f.read("HISTORY.md") != "" {
		t.Error("a file was written for nothing")
	}
}

func TestSES3AnotherVersionIsAConflict(t *testing.T) {
	f := start(t)
	first, second := turn("h1", f.load("s"), "one"), turn("h2", f.load("s"), "two")
	f.save(first, false)
	now := f.save(learn(second, "memory", "note"), true)
	if diff := cmp.Diff(f.load("s"), now); diff != "" {
		t.Errorf("what stands there (-loaded +conflict):\n%s", diff)
	}
	if f.read("MEMORY.md") != "" || f.read("HISTORY.md") != "" || len(f.archive("s")) != 1 {
		t.Error("a conflict has written something")
	}
	f.save(turn("h2", now, "two"), false)
	if h := f.load("s").History; len(h) != 2 || h[1].Text != "two" {
		t.Errorf("the history is %+v", h)
	}
}

func TestSES3TheSameTurnAgainChangesNothing(t *testing.T) {
	f := start(t)
	e := learn(turn("h1", f.load("s"), "one"), "memory", "note")
	f.save(e, false)
	want, memory, history := f.load("s"), f.read("MEMORY.md"), f.read("HISTORY.md")
	for range 2 {
		f.save(e, false)
		f.sync()
		f.crash()
	}
	if diff := cmp.Diff(want, f.load("s")); diff != "" || len(f.archive("s")) != 1 {
		t.Errorf("session (-once +again), archive %v:\n%s", f.archive("s"), diff)
	}
	if f.read("MEMORY.md") != memory || f.read("HISTORY.md") != history {
		t.Errorf("files changed to %q and %q", f.read("MEMORY.md"), f.read("HISTORY.md"))
	}
}

// However long a session lives, its record holds few turns.
func TestTurnsAreForgotten(t *testing.T) {
	f := start(t)
	for n := range 100 {
		e := turn("h"+strings.Repeat("x", n), f.load("s"), "one")
		e.State.History = nil
		f.save(e, false)
	}
	body, err := f.store.Session("s")
	if n := strings.Count(string(body), `"hx`); err != nil || n != 16 {
		t.Errorf("%d turns are remembered, error %v; want 16", n, err)
	}
}

func TestSES12MemoryIsWrittenOverWhatWasLoaded(t *testing.T) {
	f := start(t)
	for n, content := range []string{"no line end", "a line end\n", "", "磁盘 # Facts\n\n- one\n\n"} {
		f.save(learn(turn(string(rune('a'+n)), f.load("s"), "x"), content, "note"), false)
		got := f.load("other")
		if got.Memory != content || (got.MemoryHash == "") != (content == "") {
			t.Errorf("the memory is %q under %q; want %q", got.Memory, got.MemoryHash, content)
		}
	}
	loaded := f.load("s")
	f.edit("MEMORY.md", "# Mine\n")
	now := f.save(learn(turn("late", loaded, "x"), "update", "late note"), true)
	if now.Memory != "# Mine\n" || strings.Contains(f.read("HISTORY.md"), "late note") {
		t.Errorf("it stands %q there, history %q", now.Memory, f.read("HISTORY.md"))
	}
	f.save(learn(turn("late", now, "x"), now.Memory+"update", "late note"), false)
	if got := f.load("s").Memory; got != "# Mine\nupdate" {
		t.Errorf("the memory is %q", got)
	}
	if n := strings.Count(f.read("HISTORY.md"), "late note"); n != 1 {
		t.Errorf("the note is there %d times", n)
	}
}

// A turn that does not replace MEMORY.md is not affected by someone else's change to it.
func TestSES12AnEditIsNotAConflictForATurnWithoutMemory(t *testing.T) {
	f := start(t)
	e := turn("h1", f.load("s"), "one")
	f.edit("MEMORY.md", "edited")
	f.save(e, false)
	if got := f.load("s"); got.Memory != "edited" || got.Version != 1 {
		t.Errorf("loaded is %+v", got)
	}
}

// What a person writes around the mark in the file is content.
func TestAPersonMayWriteAnywhere(t *testing.T) {
	f := start(t)
	f.save(learn(turn("h1", f.load("s"), "x"), "one", "note"), false)
	f.edit("MEMORY.md", "zero\n"+f.read("MEMORY.md")+"two\n")
	loaded := f.load("s")
	if loaded.Memory != "zero\none\ntwo\n" {
		t.Errorf("the memory is %q", loaded.Memory)
	}
	f.save(learn(turn("h2", loaded, "x"), "three", "note"), false)
	if got := f.load("s").Memory; got != "three" || strings.Count(f.read("MEMORY.md"), "<!--") != 1 {
		t.Errorf("the memory is %q, the file %q", got, f.read("MEMORY.md"))
	}
	for _, text := range []string{"a <!-- shelly turn -->", "<!-- a remark -->\n", "\xff", "a\r\nb"} {
		f.edit("MEMORY.md", text)
		if got := f.load("s").Memory; got != strings.ToValidUTF8(text, "\uFFFD") {
			t.Errorf("of %q the memory is %q", text, got)
		}
	}
}

func TestSES10NotesAreAppendedToWhatIsThere(t *testing.T) {
	f := start(t)
	f.edit("HISTORY.md", "My own line, without an end")
	e := turn("h1", f.load("s"), "x")
	e.Notes = []string{"[2026-01-31 09:00] one\nmore\n", "two <!-- shelly turn x y -->"}
	f.save(e, false)
	e = turn("h2", f.load("s"), "x")
	e.Notes = []string{"three"}
	f.save(e, false)
	mark := "<!-- shelly turn " + f.store.Name() + " "
	want := "My own line, without an end\n[2026-01-31 09:00] one\nmore\n\ntwo &lt;!-- shelly turn x y -->\n" + mark + "h1 -->\n\nthree\n" + mark + "h2 -->\n\n"
	if diff := cmp.Diff(want, f.read("HISTORY.md")); diff != "" {
		t.Errorf("HISTORY.md (-want +got):\n%s", diff)
	}
}

// After a crash between the files and the session, the repeated save recognises its own work,
// whatever others have made of the files in the meantime.
func TestACrashAfterTheFilesDoublesNothing(t *testing.T) {
	edits := map[string]func(*fixture){
		"nobody": func(*fixture) {},
		"a person edits": func(f *fixture) {
			f.edit("MEMORY.md", "edited\n"+f.read("MEMORY.md"))
			f.edit("HISTORY.md", f.read("HISTORY.md")+"a remark")
		},
		"a person removes the mark": func(f *fixture) { f.edit("MEMORY.md", "new memory") },
		"another session saves": func(f *fixture) {
			e := turn("h9", f.load("other"), "x")
			e.Session = "other"
			f.save(learn(e, f.load("other").Memory+"\nother", "other note"), false)
			f.sync()
		},
		"half a file is left over": func(f *fixture) {
			f.edit("MEMORY.md.tmp", "ha")
			f.edit("HISTORY.md.tmp", "ha")
		},
	}
	for name, between := range edits {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			f.edit("MEMORY.md", "old memory")
			e := learn(turn("h1", f.load("s"), "one"), "new memory", "a note")
			f.cut.crashes = true
			if _, _, err := f.Save(context.Background(), e); !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			f.crash()
			between(f)
			memory := f.load("s").Memory
			e.State.History = []fsm.Message{user("another wording")} // from a model that was asked again
			e.State.Memory, e.Notes = "another memory", []string{"another note"}
			if name == "a person removes the mark" {
				e.State.Memory = "new memory"
			}
			f.save(e, false)
			if got := f.load("s"); got.Memory != memory || got.Version != 1 {
				t.Errorf("the session is %+v; want version 1 with memory %q", got, memory)
			}
			history := f.read("HISTORY.md")
			if strings.Count(history, "a note") != 1 || strings.Contains(history, "another note") {
				t.Errorf("HISTORY.md is %q", history)
			}
		})
	}
}

// A crash between HISTORY.md and MEMORY.md, and one after the session.
func TestACrashAtEachWriteDoublesNothing(t *testing.T) {
	for _, at := range []string{"HISTORY.md", "session"} {
		f := start(t)
		e := learn(turn("h1", f.load("s"), "one"), "new memory", "a note")
		if at == "HISTORY.md" {
			if err := os.Mkdir(f.path("MEMORY.md.tmp"), 0o700); err != nil { // MEMORY.md cannot be written
				t.Fatal(err)
			}
			f.edit("MEMORY.md.tmp/x", "")
			if _, _, err := f.Save(context.Background(), e); err == nil {
				t.Fatal("a save succeeded without its MEMORY.md")
			}
			if err := os.RemoveAll(f.path("MEMORY.md.tmp")); err != nil {
				t.Fatal(err)
			}
		} else {
			f.save(e, false) // the store has not synced it
		}
		f.crash()
		if got := f.load("s"); got.Version != 0 {
			t.Fatalf("%s: after the crash the session has version %d", at, got.Version)
		}
		f.save(e, false)
		if got := f.load("s"); got.Memory != "new memory" || got.Version != 1 || len(f.archive("s")) != 1 {
			t.Errorf("%s: the session is %+v, its archive %v", at, got, f.archive("s"))
		}
		if n := strings.Count(f.read("HISTORY.md"), "a note"); n != 1 {
			t.Errorf("%s: the note is there %d times", at, n)
		}
	}
}

// A file that outlives its store says nothing about the turns of the next store.
func TestAnotherStoreHasOtherTurns(t *testing.T) {
	f := start(t)
	f.save(learn(turn("h1", f.load("s"), "x"), "one", "first"), false)
	f.close()
	f.disk = vfs.NewCrashableMem()
	f.open()
	f.save(learn(turn("h1", f.load("s"), "x"), "two", "second"), false)
	if got := f.load("s").Memory; got != "two" || !strings.Contains(f.read("HISTORY.md"), "second") {
		t.Errorf("the memory is %q, the history %q", got, f.read("HISTORY.md"))
	}
}

func TestAFileThatCannotBeReadIsAnErrorInWords(t *testing.T) {
	for name, test := range map[string]struct {
		file, want string
		spoil      func(*fixture, string) error
	}{
		"a long MEMORY.md": {"MEMORY.md", "shorten it", func(f *fixture, p string) error { return os.WriteFile(p, make([]byte, 1<<20+1), 0o600) }},
		"a long HISTORY.md": {"HISTORY.md", "shorten it", func(f *fixture, p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 64<<20+1))
		}},
		"a folder":         {"MEMORY.md", "not a regular file", func(f *fixture, p string) error { return os.Mkdir(p, 0o700) }},
		"a pipe":           {"MEMORY.md", "not a regular file", func(f *fixture, p string) error { return syscall.Mkfifo(p, 0o600) }},
		"a pipe elsewhere": {"HISTORY.md", "not a regular file", func(f *fixture, p string) error { return syscall.Mkfifo(p, 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			e := learn(turn("h1", f.load("s"), "x"), "one", "note")
			if err := test.spoil(f, f.path(test.file)); err != nil {
				t.Fatal(err)
			}
			_, conflict, err := f.Save(context.Background(), e)
			if conflict || err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.file) {
				t.Errorf("Save: %v, %v; want an error that says %q", conflict, err, test.want)
			}
			if f.store.Err() != nil {
				t.Errorf("the store has failed: %v", f.store.Err())
			}
		})
	}
	f := start(t)
	e := learn(turn("h1", f.load("s"), "x"), strings.Repeat("x", 1<<20), "note")
	if _, _, err := f.Save(context.Background(), e); err == nil || !strings.Contains(err.Error(), "shorten it") {
		t.Errorf("a memory that could not be read again: %v", err)
	}
}

// A MEMORY.md that is a link stays a link.
func TestALinkIsFollowed(t *testing.T) {
	f := start(t)
	target := filepath.Join(t.TempDir(), "notes.md")
	if err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink(target, f.path("MEMORY.md"))); err != nil {
		t.Fatal(err)
	}
	f.save(learn(turn("h1", f.load("s"), "x"), "new", "note"), false)
	if text, err := os.ReadFile(target); err != nil || !strings.HasPrefix(string(text), "new\n") {
		t.Errorf("the target holds %q, %v", text, err)
	}
}

func TestWhatWasCalledOffWritesNothing(t *testing.T) {
	f := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, load := f.Load(ctx, "s")
	_, _, save := f.Save(ctx, turn("h1", fsm.Session{}, "x"))
	if !errors.Is(load, context.Canceled) || !errors.Is(save, context.Canceled) || f.load("s").Version != 0 {
		t.Errorf("%v, %v; want both called off", load, save)
	}
}

// Whatever turns are called, none is taken for another.
func TestTurnsAreDistinguished(t *testing.T) {
	names := rapid.StringOf(rapid.SampledFrom([]rune("h1 ->\n<!磁%+")))
	rapid.Check(t, func(rt *rapid.T) {
		f := start(t)
		turns := rapid.SliceOfNDistinct(names, 2, 4, func(s string) string { return s }).Draw(rt, "turns")
		for n, name := range turns {
			f.cut.crashes = true
			e := learn(turn(name, f.load("s"), "x"), strings.Repeat("m", n+1), "note")
			if _, _, err := f.Save(context.Background(), e); !errors.Is(err, errCrash) {
				rt.Fatal(err)
			}
			f.cut.crashes = false
			f.save(e, false)
			if got := f.load("s").Memory; len(got) != n+1 {
				rt.Fatalf("turn %q is taken for one before it: memory %q", name, got)
			}
		}
		if n := strings.Count(f.read("HISTORY.md"), "note"); n != len(turns) {
			rt.Fatalf("%d notes of %d turns", n, len(turns))
		}
	})
}
