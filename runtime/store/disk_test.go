package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

// Whatever Pebble does to a file of the store: where it fails the store does, and Pebble does not go on.
func TestJRN11WhateverFailsOnTheDiskFailsTheStore(t *testing.T) {
	name, other := dir+"/900.tmp", dir+"/901.tmp"
	for what, do := range map[string]func(seen vfs.FS, f vfs.File){
		"Create":         func(seen vfs.FS, _ vfs.File) { _, _ = seen.Create(other, vfs.WriteCategoryUnspecified) },
		"ReuseForWrite":  func(seen vfs.FS, _ vfs.File) { _, _ = seen.ReuseForWrite(name, other, vfs.WriteCategoryUnspecified) },
		"Rename":         func(seen vfs.FS, _ vfs.File) { _ = seen.Rename(name, other) },
		"List":           func(seen vfs.FS, _ vfs.File) { _, _ = seen.List(dir) },
		"Write":          func(_ vfs.FS, f vfs.File) { _, _ = f.Write([]byte("x")) },
		"WriteAt":        func(_ vfs.FS, f vfs.File) { _, _ = f.WriteAt([]byte("x"), 0) },
		"Sync":           func(_ vfs.FS, f vfs.File) { _ = f.Sync() },
		"SyncTo":         func(_ vfs.FS, f vfs.File) { _, _ = f.SyncTo(1) },
		"SyncData":       func(_ vfs.FS, f vfs.File) { _ = f.SyncData() },
		"Sync of folder": func(seen vfs.FS, _ vfs.File) { d, _ := seen.OpenDir(dir); _ = d.Sync() },
	} {
		t.Run(what, func(t *testing.T) {
			toggle := &errorfs.Toggle{Injector: errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind == errorfs.OpOpenDir {
					return nil
				}
				return errorfs.ErrInjected
			})}
			s := open(t, dir, store.Options{FS: errorfs.Wrap(vfs.NewMem(), toggle)})
			seen := s.Seen()
			f, err := seen.Create(name, vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			toggle.On()
			returned := make(chan struct{})
			go func() { // it is parked
				do(seen, f)
				close(returned)
			}()
			select {
			case <-s.Failed():
				if !errors.Is(s.Err(), errorfs.ErrInjected) {
					t.Errorf("got %v; want %v", s.Err(), errorfs.ErrInjected)
				}
			case <-returned:
				t.Error("it has returned, and the store has not failed")
			}
		})
	}
}

// A text that entries share, which is in another table than the last of them, is forgotten with that.
func TestMEM10ASharedTextThatIsForgottenLeavesTheTables(t *testing.T) {
	fs := vfs.NewMem()
	random, long := rand.New(rand.NewPCG(1, 2)), []rune{}
	for range 1000 {
		long = append(long, rune(0x4e00+random.IntN(0x5000)))
	}
	var secret []byte // part of the text as it is kept
	for _, id := range []string{"a", "b"} {
		s := open(t, dir, store.Options{FS: fs})
		must(t, s.PutEntry(fsm.Entry{ID: id, Text: string(long)}))
		end(t, &s)
		edit(t, fs, dir, func(db *pebble.DB) error {
			value, closer, err := db.Get(store.OnceKey(1))
			if err != nil {
				return err
			}
			secret = bytes.Clone(value[len(value)/2:][:64])
			return errors.Join(closer.Close(), db.Flush())
		})
	}
	for _, id := range []string{"a", "b"} {
		if !inATable(t, fs, secret) {
			t.Fatalf("before %s is forgotten it lies in no table: nothing is shown", id)
		}
		s := open(t, dir, store.Options{FS: fs})
		must(t, s.ForgetEntries([]string{id}))
		end(t, &s)
	}
	if inATable(t, fs, secret) {
		t.Error("a table holds it")
	}
}

// The copies of the vectors go with the index, and before the entries: they are of what is forgotten.
func TestMEM7TheCopiesOfTheVectorsGoWithTheIndex(t *testing.T) {
	key := index.VersionKey()
	for what, drop := range map[string]func(s *store.Store) error{
		"forgotten": func(s *store.Store) error { return s.ForgetEntries([]string{"a"}) },
		"dropped":   func(s *store.Store) error { return s.DropIndex() },
		"a part":    func(s *store.Store) error { return s.DropIndex([]byte{index.Rows}) },
	} {
		disk := vfs.NewMem()
		s := open(t, dir, store.Options{FS: disk})
		must(t, s.PutIndexed(fsm.Entry{ID: "a"}, func(put index.Set) { put(key, []byte("v")); put([]byte{index.Rows, 1}, []byte("row")) }))
		must(t, s.Vectors().Write([]byte("vectors"), 0))
		must(t, drop(s))
		if _, err := disk.Stat(dir + "/vectors"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v; want no copies of the vectors", what, err)
		}
		left := 0
		must(t, s.ReadIndex(nil, func([]byte, []byte) error { left++; return nil }))
		if want := map[string]int{"a part": 1}[what]; left != want {
			t.Errorf("%s: %d keys of the index are left; want %d", what, left, want)
		}
		end(t, &s)
	}
}

// A text may begin like what the store makes of texts.
func TestJRN34ATextThatLooksLikeAReferenceIsItself(t *testing.T) {
	s := open(t, dir, store.Options{FS: vfs.NewMem()})
	defer end(t, &s)
	for _, body := range []string{"\xff", "\xff\x03abc", "\xff\x80\x01\x02\x03", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"} {
		k := engine.TextKey{Owner: fsm.SessionOwner("s"), Ref: "a"}
		must(t, s.Append(engine.Batch{Texts: []engine.Text{{TextKey: k, At: 1, Body: body}}}, true))
		if got, ok, err := s.Text(k); got != body || !ok || err != nil {
			t.Errorf("%q: got %q, %t, %v", body, got, ok, err)
		}
		must(t, s.PutSession("s", []byte(body), nil))
		if got, err := s.Session("s"); string(got) != body || err != nil {
			t.Errorf("session %q: got %q, %v", body, got, err)
		}
	}
}
