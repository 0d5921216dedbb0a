package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

func TestMEM10AForgottenEntryIsGoneAfterACrashToo(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	for _, id := range []string{"a", "b"} {
		must(t, s.PutEntry(fsm.Entry{ID: id, Summary: "the code of the safe"}))
	}
	must(t, s.ForgetEntries([]string{"a", "nobody's"}))
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	for id, want := range map[string]bool{"a": false, "b": true, "nobody's": false} {
		if _, ok, err := s.Entry(id); ok != want || err != nil {
			t.Errorf("entry %s is there: %v, %v; want %v", id, ok, err, want)
		}
		if forgotten, err := s.Forgotten(id); forgotten == want || err != nil {
			t.Errorf("entry %s is forgotten: %v, %v; want %v", id, forgotten, err, !want)
		}
	}
	must(t, s.PutEntry(fsm.Entry{ID: "a"}))
	if forgotten, err := s.Forgotten("a"); forgotten || err != nil {
		t.Errorf("an entry that was put again is forgotten: %v, %v", forgotten, err)
	}
}

// The tables on the disk hold nothing of what was forgotten.
func TestMEM10WhatIsForgottenLeavesTheTables(t *testing.T) {
	fs := vfs.NewMem()
	secret := []byte("q7Zx0vKp3WmRt9LbYc2Hd8SgNfJu5Ea1") // does not compress
	s := open(t, dir, store.Options{FS: fs})
	must(t, s.PutEntry(fsm.Entry{ID: "a", Summary: string(secret)}))
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error { return db.Flush() })
	if !inATable(t, fs, secret) {
		t.Fatal("it does not lie in a table: nothing is shown")
	}
	s = open(t, dir, store.Options{FS: fs})
	must(t, s.ForgetEntries([]string{"a"}))
	end(t, &s)
	if inATable(t, fs, secret) {
		t.Error("a table holds it")
	}
}

// What a session held is gone at once, from the tables, too, and after a crash; another session's stays, and no
// number comes again.
func TestSES25WhatASessionHeldIsGone(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	secrets := []string{ // they do not compress
		"q7Zx0vKp3WmRt9LbYc2Hd8SgNfJu5Ea1", "Uo4TnXe8MjQw2CiGy6BhPr0DkVs5AzL7", "f1IlOa9EtVb3KxJq7RdNm5WgSu8YcHp2", "zC6vGy0HsDr4PkLw8BnQe2MxTj5UiFo9",
	}
	put(t, s, "a", secrets[0], secrets[1], secrets[2])
	put(t, s, "ab", "other", "part")
	must(t, s.Append(engine.Batch{Texts: []engine.Text{
		{TextKey: engine.TextKey{Owner: fsm.SessionOwner("a"), Ref: "r"}, At: 1, Body: secrets[3]},
		{TextKey: engine.TextKey{Owner: fsm.SessionOwner("ab"), Ref: "r"}, At: 1, Body: "result"},
	}}, true))
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error { return db.Flush() })
	for _, secret := range secrets {
		if !inATable(t, fs, []byte(secret)) {
			t.Fatalf("%s does not lie in a table: nothing is shown", secret)
		}
	}
	s = open(t, dir, store.Options{FS: fs})
	parts, clear, err := s.ForgetSession("a", []byte("empty"))
	if parts != 2 || err != nil {
		t.Errorf("%d parts are forgotten, %v; want 2", parts, err)
	}
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	must(t, clear())
	end(t, &s)
	for _, secret := range secrets {
		if inATable(t, fs, []byte(secret)) {
			t.Errorf("a table holds %s", secret)
		}
	}
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	put(t, s, "a", "next", "new")
	if diff := cmp.Diff(map[string][]string{"a": {"next", "3 new"}, "ab": {"other", "1 part"}}, kept(t, s)); diff != "" {
		t.Errorf("sessions after a crash (-want +got):\n%s", diff)
	}
	for owner, want := range map[string]bool{"a": false, "ab": true} { // order-free
		if _, ok, err := s.Text(engine.TextKey{Owner: fsm.SessionOwner(owner), Ref: "r"}); ok != want || err != nil {
			t.Errorf("the result of session %s is there: %v, %v; want %v", owner, ok, err, want)
		}
	}
	if x, err := s.Examine(t.Context()); err != nil || len(x.Damage)+len(x.Missing) > 0 {
		t.Errorf("an examination finds %+v, %v", x, err)
	}
	if parts, _, err := s.ForgetSession("nobody's", []byte("empty")); parts != 0 || err != nil {
		t.Errorf("%d parts of a session that is not there, %v", parts, err)
	}
}

// Of a session's finished requests nothing is left but that they were there, after a crash too; others stay.
func TestSES25WhatRequestsOfASessionSaidIsGone(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	asked, replied := "q7Zx0vKp3WmRt9LbYc2Hd8SgNfJu5Ea1", "Uo4TnXe8MjQw2CiGy6BhPr0DkVs5AzL7" // they do not compress
	key := func(id string) fsm.RequestKey { return fsm.RequestKey{Principal: "local", Channel: "http", ID: id} }
	must(t, s.Append(engine.Batch{Requests: []engine.Request{
		{Key: key("done"), Index: 1, Session: "a", Text: asked, Done: true, Reply: replied},
		{Key: key("chat"), Index: 2, Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, Text: "x", Done: true, Reply: "y"},
		{Key: key("runs"), Index: 3, Session: "a", Text: "z"},
		{Key: key("other"), Index: 4, Session: "ab", Text: "u", Done: true, Reply: "v"},
	}}, true))
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error { return db.Flush() })
	s = open(t, dir, store.Options{FS: fs})
	for i, session := range []string{"a", "cli:direct", "nobody's", "a"} {
		n, clear, err := s.ForgetRequests(session)
		must(t, err)
		if want := []int{1, 1, 0, 0}[i]; n != want {
			t.Errorf("%d requests of session %s are forgotten, want %d", n, session, want)
		}
		must(t, clear())
	}
	want := map[string]string{"done": " forgotten", "chat": " forgotten", "runs": "z", "other": "uv"}
	check := func() {
		t.Helper()
		for id, want := range want { // order-free
			r, ok, err := s.Request(key(id))
			got := r.Text + r.Reply
			if r.Forgotten {
				got += " forgotten"
			}
			if !ok || err != nil || got != want {
				t.Errorf("request %s: %q, %v, %v; want %q", id, got, ok, err, want)
			}
		}
	}
	check()
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	if inATable(t, fs, []byte(asked)) || inATable(t, fs, []byte(replied)) {
		t.Error("a table holds what was said")
	}
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	check()
}

// Nor does the index that it was found by, whether its words are in a segment or after it, and
// whatever an earlier version of the entry said.
func TestMEM10WhatIsForgottenLeavesTheIndex(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	say := func(id, text string) {
		t.Helper()
		must(t, m.Store(t.Context(), fsm.Entry{ID: id, Summary: text}))
	}
	words := []string{"q7zx0vkp3wmrt9", "bychd8sgnfju5e", "k2wq9xhzv4tyla"}
	say("early", words[0])
	say("changed", words[1])
	for i := range 1100 {
		say(fmt.Sprint("h", i), fmt.Sprint("something else ", i))
	}
	say("changed", "nothing")
	say("late", words[2])
	reopen := func() {
		t.Helper()
		m.Close()
		end(t, &s)
		edit(t, fs, dir, func(db *pebble.DB) error { return db.Flush() })
		s = open(t, dir, store.Options{FS: fs})
		if m, err = memory.Open(s, memory.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	reopen()
	for _, word := range []string{words[0], words[2]} {
		if !inATable(t, fs, []byte(word)) {
			t.Fatalf("%s does not lie in a table: nothing is shown", word)
		}
	}
	if n, err := m.Forget(t.Context(), "early", "changed", "late"); n != 3 || err != nil {
		t.Fatalf("%d were forgotten, %v", n, err)
	}
	m.Close()
	end(t, &s)
	for _, word := range words {
		if inATable(t, fs, []byte(word)) {
			t.Errorf("a table holds %s", word)
		}
	}
}

// inATable reports whether a table of the store holds some bytes.
func inATable(t *testing.T, fs vfs.FS, what []byte) bool {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.HasSuffix(name, ".sst") && bytes.Contains(content(t, fs, fs.PathJoin(dir, name)), what)
	})
}

func content(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, info.Size())
	if _, err := f.ReadAt(data, 0); err != nil && info.Size() > 0 {
		t.Fatal(err)
	}
	return data
}

// An entry that was put and synced survives a crash (MEM-1).
func TestSyncedEntriesSurviveACrash(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := open(t, dir, store.Options{FS: fs})
	for _, id := range []string{"synced", "late"} {
		must(t, s.PutEntry(fsm.Entry{ID: id}))
		if id == "synced" {
			must(t, s.SyncEntries())
		}
	}
	after := fs.CrashClone(vfs.CrashCloneCfg{})
	end(t, &s)
	s = open(t, dir, store.Options{FS: after})
	defer end(t, &s)
	for id, want := range map[string]bool{"synced": true, "late": false} {
		if _, ok, err := s.Entry(id); ok != want || err != nil {
			t.Errorf("entry %s is there: %v, %v; want %v", id, ok, err, want)
		}
	}
}

// The tables that are compacted are those that may hold something of what was forgotten, and not the
// rest of a large memory.
func TestMEM10OnlyTablesWithSomethingForgottenAreCompacted(t *testing.T) {
	key := func(kind byte, number int) []byte { return append([]byte("I"), index.Key(kind, number)...) }
	set := [][]byte{key(index.Rows, 7), key(index.Docs, 3), key(index.Tail, 4000), key(index.Heads, 2), key(index.Rows, 5)}
	word := append([]byte("I"), index.PostingsKey("word", 1)...)
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint("many", i))
	}
	for _, test := range []struct {
		what    string
		key     []byte
		ids     []string
		indexed bool
		want    bool
	}{
		{"the entry", []byte("Ea"), []string{"a"}, true, true},
		{"another entry", []byte("Eb"), []string{"a"}, true, false},
		{"another entry, where many were forgotten", []byte("Eb"), many, true, true},
		{"its text", store.OnceKey(9), []string{"a"}, true, true},
		{"another text", store.OnceKey(8), []string{"a"}, true, false},
		{"a session", []byte("Cs"), many, false, false},
		{"a word", word, []string{"a"}, true, true},
		{"an entry of the tail", key(index.Tail, 1), []string{"a"}, true, true},
		{"a row outside blocks", key(index.LooseRow, 1), []string{"a"}, true, true},
		{"its segment", key(index.Docs, 3), []string{"a"}, true, true},
		{"another segment", key(index.Docs, 4), []string{"a"}, true, false},
		{"its row", key(index.Rows, 5), []string{"a"}, true, true},
		{"the row between", key(index.Rows, 6), []string{"a"}, true, true},
		{"the last row", key(index.Rows, 7), []string{"a"}, true, true},
		{"another row", key(index.Rows, 8), []string{"a"}, true, false},
		{"another row, where the index was dropped", key(index.Rows, 8), []string{"a"}, false, true},
		{"the version, where the index was dropped", append([]byte("I"), index.VersionKey()...), []string{"a"}, false, true},
	} {
		if got := store.Compacts(test.key, test.ids, slices.Clone(set), test.indexed, [][]byte{store.OnceKey(9)}); got != test.want {
			t.Errorf("%s: %v, want %v", test.what, got, test.want)
		}
	}
}
