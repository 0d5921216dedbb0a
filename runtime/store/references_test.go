package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// long returns a text that is long enough to be kept once, a different one for each name.
func long(name string) string { return strings.Repeat("<"+name+"> é\n", 200) }

// whole returns everything that can be read from a store, as one text.
func whole(s *store.Store) (string, error) {
	var out strings.Builder
	var failed error
	note := func(v any, err error) {
		data, none := json.Marshal(v)
		failed = errors.Join(failed, err, none)
		fmt.Fprintf(&out, "%s\n", data)
	}
	kept, err := s.Kept()
	note(kept, err)
	note(nil, s.Replay(kept.First-1, func(r engine.Record) error { note(r.Index, nil); note(fsm.MarshalInput(r.Input)); return nil }))
	for _, at := range kept.Snapshots {
		_, snapshot, err := s.Snapshot(at)
		note(snapshot, err)
	}
	requests, err := s.Requests(math.MaxUint64, engine.ReadMax)
	note(requests, err)
	messages, err := s.Messages(fsm.Origin{}, 0, engine.ReadMax)
	note(messages, err)
	audit, err := s.Audit("", 0, engine.ReadMax)
	note(audit, err)
	note(nil, s.Entries(func(e fsm.Entry) error { note(e, nil); return nil }))
	note(nil, s.Sessions(func(id string, body []byte) error {
		note(id, nil)
		one, err := s.Session(id)
		note([]string{string(body), string(one)}, err)
		return nil
	}))
	note(nil, s.Archives(func(id string) error {
		return s.Archived(id, 0, engine.ReadMax, func(n uint64, part []byte) error { note(n, nil); note(string(part), nil); return nil })
	}))
	for owner := range 3 {
		for ref := range 3 {
			text, ok, err := s.Text(textKeyOf(owner, ref))
			note([]any{text, ok}, err)
		}
	}
	return out.String(), failed
}

func textKeyOf(owner, ref int) engine.TextKey {
	return engine.TextKey{Owner: fsm.SessionOwner(fmt.Sprint(owner)), Ref: fmt.Sprint(ref)}
}

// history is a store with a random history.
type history struct {
	*rapid.T
	fs       vfs.FS
	s        *store.Store
	last     uint64
	at       fsm.Millis
	answered uint64 // the last request that was answered
}

// say returns a text, short or long, of one of a few names, alone or with others.
func (h *history) say() string {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(h.T, "names")
	switch rapid.IntRange(0, 3).Draw(h.T, "length") {
	case 0:
		return strings.Join(names, " ")
	case 1:
		return "result:\n" + long(names[0]) + " … " + long(names[len(names)-1])
	default:
		return long(names[0])
	}
}

func (h *history) must(err error) {
	if err != nil {
		h.Fatalf("got %v; want no error", err)
	}
}

// append appends a record with everything that may accompany it.
func (h *history) append(sync bool) {
	h.last++
	h.at++
	said := h.say()
	key := fsm.RequestKey{ID: fmt.Sprint(h.last)}
	b := engine.Batch{
		Records:  []engine.Record{{Index: h.last, Effects: h.last, Input: fsm.Input{At: h.at, Fact: fsm.Requested{Request: key, Text: said}}}},
		Requests: []engine.Request{{Key: key, Index: h.last, Text: said, Accepted: h.at}},
		Messages: []engine.Message{{Position: engine.PositionOf(h.last, 0), At: h.at, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "c"}, Text: h.say()}}},
		Audit:    []engine.Audit{{Position: engine.PositionOf(h.last, 0), At: h.at, Audit: fsm.Audit{Session: "s", Result: said}}},
	}
	if before := h.last - 1; before > 0 && h.answered < before { // answer the one before
		h.answered = before
		b.Requests = append(b.Requests, engine.Request{Key: fsm.RequestKey{ID: fmt.Sprint(before)}, Index: before, Text: h.say(), Reply: h.say(), Accepted: h.at - 1, Replied: h.at, Done: true})
	}
	if rapid.Bool().Draw(h.T, "text") {
		k := textKeyOf(rapid.IntRange(0, 2).Draw(h.T, "owner"), rapid.IntRange(0, 2).Draw(h.T, "ref"))
		b.Texts = []engine.Text{{TextKey: k, At: h.at, Body: h.say()}}
		if rapid.Bool().Draw(h.T, "names") {
			b.Names = []engine.Names{{Owner: k.Owner, Refs: []string{fmt.Sprint(rapid.IntRange(0, 2).Draw(h.T, "named"))}}}
		}
	}
	h.must(h.s.Append(b, sync))
}

// step does one random thing with the store.
func (h *history) step() {
	id := fmt.Sprint(rapid.IntRange(0, 2).Draw(h.T, "id"))
	switch what := rapid.SampledFrom([]string{"append", "append", "session", "entry", "forget", "drop", "snapshot", "trim", "reopen"}).Draw(h.T, "step"); what {
	case "append":
		h.append(rapid.Bool().Draw(h.T, "sync"))
	case "session":
		body, _ := json.Marshal([]string{h.say(), h.say()})
		part, _ := json.Marshal(map[string]string{"text": h.say()})
		h.must(h.s.PutSession(id, body, [][]byte{part}))
	case "entry":
		h.must(h.s.PutEntry(fsm.Entry{ID: id, Summary: h.say(), Text: h.say()}))
	case "forget":
		h.must(h.s.ForgetEntries([]string{id}))
	case "drop":
		h.must(h.s.DropArchived(id, rapid.Uint64Range(0, 4).Draw(h.T, "up to")))
	case "snapshot":
		if h.last > 0 {
			active := make([]state.Handle, rapid.IntRange(0, 2).Draw(h.T, "active"))
			for i := range active {
				active[i].Accepted = state.Accepted{ID: fsm.HandleID(i + 1), Input: h.say()}
			}
			h.must(h.s.SaveSnapshot(h.last, state.Snapshot{Lifecycle: state.Serving, Now: h.at, Handles: active}))
		}
	case "trim":
		_, err := h.s.Trim(engine.Keep{Since: fsm.Millis(rapid.Uint64Range(0, uint64(h.at)+1).Draw(h.T, "since"))})
		h.must(err)
	case "reopen":
		h.must(h.s.Close())
		h.open()
	}
}

func (h *history) open() {
	s, err := store.Open(dir, store.Options{FS: h.fs})
	h.must(err)
	h.s = s
}

// Whatever is done with a store, exactly the texts that something refers to exist, a crash loses
// texts together with what refers to them, and what remains can be read.
func TestJRN34EachTextIsThereAsLongAsSomethingRefersToIt(t *testing.T) {
	exhaustive.Test(t)
	rapid.Check(t, func(r *rapid.T) {
		fs := vfs.NewCrashableMem()
		h := &history{T: r, fs: fs}
		h.open()
		defer func() { _ = h.s.Close() }()
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			h.step()
			h.must(h.s.CheckReferences())
		}
		_, err := whole(h.s)
		h.must(err)
		percent := rapid.IntRange(0, 100).Draw(r, "unsynced data that survives, in percent")
		s, err := store.Open(dir, store.Options{FS: survive(percent)(fs)})
		h.must(err)
		_, err = whole(s)
		h.must(errors.Join(err, s.CheckReferences(), s.Close()))
	})
}

// A store that is salvaged and rebuilt (JRN-32) has the same content, and its references.
func TestJRN34ARepairedStoreHasItsTexts(t *testing.T) {
	exhaustive.Test(t)
	rapid.Check(t, func(r *rapid.T) {
		h := &history{T: r, fs: vfs.NewMem()}
		h.open()
		for range rapid.IntRange(1, 15).Draw(r, "steps") {
			h.step()
		}
		h.must(h.s.Close())
		h.open()
		before, err := whole(h.s)
		h.must(errors.Join(err, h.s.Close()))
		w, err := store.Salvage(t.Context(), dir, store.Options{FS: h.fs})
		if errors.Is(err, store.ErrCorrupt) {
			return // nothing was ever written
		}
		h.must(err)
		s, out, err := w.Rebuild(t.Context(), "other", store.Options{FS: h.fs})
		h.must(err)
		after, err := whole(s)
		h.must(errors.Join(err, s.CheckReferences()))
		if diff := cmp.Diff(before, after); diff != "" || len(out.Lost) > 0 {
			r.Fatalf("lost %q (-before +after):\n%s", out.Lost, diff)
		}
		h.s = s
		h.append(true) // the store can be used further
		h.must(errors.Join(s.CheckReferences(), s.Close(), w.Close()))
	})
}

// A text that occurs several times is stored once, whatever refers to it, and is deleted with the
// last reference.
func TestJRN34ATextIsKeptOnceAndGoesWithTheLastThatRefersToIt(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	defer end(t, &s)
	said, quoted := long("said"), fmt.Sprintf("%q", "x")
	must := func(errs ...error) {
		t.Helper()
		must(t, errors.Join(errs...))
	}
	once := func(when string, want int) {
		t.Helper()
		got, kept, err := s.Once()
		if must(err, s.CheckReferences()); got != want || kept > len(said)/10 {
			t.Errorf("%s: %d texts are kept, want %d, in %d bytes", when, got, want, kept)
		}
	}
	k := engine.TextKey{Owner: fsm.SessionOwner("s"), Ref: "r"}
	body, err := json.Marshal(map[string]string{"a": said})
	must(err, s.Append(engine.Batch{
		Records: []engine.Record{{Index: 1, Input: fsm.Input{At: 1, Fact: fsm.Requested{Request: fsm.RequestKey{ID: "1"}, Text: said}}}},
		Audit:   []engine.Audit{{Position: 1, At: 1, Audit: fsm.Audit{Session: "s", Result: said}}},
		Texts:   []engine.Text{{TextKey: k, At: 1, Body: said}},
	}, true))
	must(s.PutSession("s", body, [][]byte{body, []byte(quoted)}), s.PutEntry(fsm.Entry{ID: "e", Text: said}))
	once("five hold it", 1)
	end(t, &s)
	s = open(t, dir, store.Options{FS: fs})
	once("it is opened again", 1)
	must(s.Append(engine.Batch{
		Records: []engine.Record{{Index: 2, Input: fsm.Input{At: 9, Fact: fsm.Signalled{Name: "SIGHUP"}}}},
		Names:   []engine.Names{{Owner: k.Owner}},
	}, true))
	must(s.SaveSnapshot(2, state.Snapshot{Lifecycle: state.Serving, Now: 9}))
	_, err = s.Trim(engine.Keep{Since: 10})
	must(err)
	once("the record, the audit and the result are dropped", 1)
	must(s.DropArchived("s", 1), s.ForgetEntries([]string{"e"}))
	once("only the session has it", 1)
	must(s.PutSession("s", []byte(quoted), nil))
	once("nothing has it", 0)
	must(s.PutSession("s", body, nil))
	once("it is said again", 1)
}

// A text that cannot be read, or is the wrong one, is damage that names the value that refers to
// it; it is never an empty text (JRN-30).
// The handles of a snapshot hold the same conversations in several states, and most of what is
// said in them is short.
func TestJRN34ASnapshotIsCompressed(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	defer s.Close()
	saved := state.Snapshot{Lifecycle: state.Serving, Handles: make([]state.Handle, 50)}
	for i := range saved.Handles {
		h := &saved.Handles[i]
		h.Accepted = state.Accepted{ID: fsm.HandleID(i + 1), Session: fmt.Sprint(i), Input: long("a")}
		for n := range 200 {
			h.Context = append(h.Context, fsm.Message{Role: fsm.RoleUser, Text: fmt.Sprintf("question %d of session %d", n, i)})
		}
	}
	must(t, s.SaveSnapshot(1, saved))
	if _, read, err := s.Snapshot(1); err != nil || !reflect.DeepEqual(read, saved) {
		t.Errorf("it is read as another one, with %d handles, %v", len(read.Handles), err)
	}
	said, _ := json.Marshal(saved)
	if bytes, err := s.SnapshotBytes(); err != nil || bytes > int64(len(said)/10) {
		t.Errorf("%d of %d bytes are stored, %v", bytes, len(said), err)
	}
	if err := s.CheckReferences(); err != nil {
		t.Error(err)
	}
}

func TestJRN34ADamagedTextIsDamageOfWhatHoldsIt(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"missing": nil,
		"flipped": func(v []byte) []byte { v[len(v)-1] ^= 1; return v },
		"another": func(v []byte) []byte { return store.Sealed(store.OnceKey(1), []byte(long("else"))) },
	} {
		for _, standsFor := range []string{"", " of a record that a snapshot stands for"} {
			t.Run(name+standsFor, func(t *testing.T) {
				fs := vfs.NewMem()
				s := open(t, dir, store.Options{FS: fs})
				err := s.Append(engine.Batch{
					Records: []engine.Record{{Index: 1, Input: fsm.Input{At: 1, Fact: fsm.Requested{Text: long("said")}}}},
					Audit:   []engine.Audit{{Position: engine.PositionOf(1, 2), Audit: fsm.Audit{Result: long("said")}}},
				}, true)
				must(t, errors.Join(err, s.PutSession("s", []byte(`"short"`), nil)))
				if standsFor != "" {
					must(t, s.SaveSnapshot(1, state.Snapshot{Lifecycle: state.Serving, Now: 1}))
				}
				end(t, &s)
				edit(t, fs, dir, func(db *pebble.DB) error { return damageOnce(db, damage) })
				s, err = store.OpenReadOnly(dir, store.Options{FS: fs})
				if err != nil {
					t.Fatal(err)
				}
				x, err := s.Examine(t.Context())
				want := []string{"audit record 65538 of journal record 1", "journal record 1"}
				if slices.Sort(x.Missing); err != nil || !slices.Equal(x.Missing, want) {
					t.Errorf("lost are %q, %v; want %q", x.Missing, err, want)
				}
				if err := s.Replay(0, func(engine.Record) error { return nil }); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "journal record 1") {
					t.Errorf("replay: %v", err)
				}
				if found, err := s.Audit("", 0, 9); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "audit record 65538 of journal record 1") {
					t.Errorf("audit: %+v, %v", found, err)
				}
				end(t, &s)
				w, err := store.Salvage(t.Context(), dir, store.Options{FS: fs})
				if err != nil {
					t.Fatal(err)
				}
				r, out, err := w.Rebuild(t.Context(), "other", store.Options{FS: fs})
				if err != nil {
					t.Fatal(err)
				}
				if slices.Sort(out.Lost); !slices.Equal(out.Lost, want) {
					t.Errorf("lost %q, want %q", out.Lost, want)
				}
				if body, err := r.Session("s"); string(body) != `"short"` || err != nil {
					t.Errorf("the session is %q, %v", body, err)
				}
				if err := errors.Join(r.CheckReferences(), r.Close(), w.Close()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// damageOnce changes the text that has the number 1, or drops it.
func damageOnce(db *pebble.DB, damage func([]byte) []byte) error {
	key := store.OnceKey(1)
	value, closer, err := db.Get(key)
	if err != nil {
		return err
	}
	value = bytes.Clone(value)
	if err := closer.Close(); err != nil {
		return err
	}
	if damage == nil {
		return db.Delete(key, pebble.Sync)
	}
	return db.Set(key, damage(value), pebble.Sync)
}

// Sessions are written while records are trimmed that refer to the same texts.
func TestJRN34WritersDoNotLoseEachOthersTexts(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem()})
	defer end(t, &s)
	const rounds = 300
	said := func(i int) string { return long(fmt.Sprint(i / 7 % 5)) }
	done := make(chan error, 3)
	for id := range 3 {
		go func() {
			var err error
			for i := range rounds {
				body, _ := json.Marshal(map[string]string{"text": said(i), "also": said(i + 9)})
				err = errors.Join(err, s.PutSession(fmt.Sprint(id), body, nil))
				got, failed := s.Session(fmt.Sprint(id))
				if err = errors.Join(err, failed); string(got) != string(body) {
					err = errors.Join(err, fmt.Errorf("session %d has %d bytes", id, len(got)))
				}
			}
			done <- err
		}()
	}
	for i := range uint64(rounds) {
		b := engine.Batch{Records: []engine.Record{{Index: i + 1, Input: fsm.Input{At: fsm.Millis(i), Fact: fsm.Requested{Text: said(int(i))}}}}}
		if err := s.Append(b, i%3 == 0); err != nil {
			t.Error(err)
			break
		}
		if i%5 == 4 {
			_, err := s.Trim(engine.Keep{Since: fsm.Millis(i)})
			if err := errors.Join(s.SaveSnapshot(i+1, state.Snapshot{Now: fsm.Millis(i)}), err); err != nil {
				t.Error(err)
			}
		}
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := s.CheckReferences(); err != nil {
		t.Error(err)
	}
}
