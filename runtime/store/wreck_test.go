package store_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/exhaustive"
	"shelly/runtime/store"
)

// rebuilt makes a store from what can be read of another.
func rebuilt(t *testing.T, fs vfs.FS) (*store.Store, store.Rebuilt) {
	t.Helper()
	ctx := context.Background()
	w, err := store.Salvage(ctx, dir, store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	s, out, err := w.Rebuild(ctx, "rebuilt", store.Options{FS: vfs.NewMem()})
	must(t, errors.Join(err, w.Close()))
	return s, out
}

// Without a manifest nothing says directly which tables and logs were made into others that still
// exist. Their content does: no older value comes back.
func TestJRN32WithoutAManifestNothingOlderComesBack(t *testing.T) {
	fs := vfs.NewMem()
	old := map[string]string{}
	for round := uint64(1); round <= 5; round++ {
		s := open(t, dir, store.Options{FS: fs})
		appendRecords(t, s, round*10-9, round*10, true)
		for _, part := range []string{"a", "s", "z"} {
			must(t, s.PutSession(part, []byte{byte('0' + round)}, [][]byte{{byte('0' + round)}}))
		}
		must(t, s.SyncEntries())
		end(t, &s)
		for name, text := range files(t, fs) {
			if round < 5 && (strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".log")) {
				old[name] = text
			}
		}
	}
	edit(t, fs, dir, func(db *pebble.DB) error {
		return errors.Join(db.Flush(), db.Compact(context.Background(), []byte{0}, []byte{0xff}, false))
	})
	now := files(t, fs)
	left := 0
	for name, text := range old {
		if _, there := now[name]; !there {
			replaceFile(t, fs, name, []byte(text))
			left++
		}
	}
	for name := range now {
		if strings.HasPrefix(name, "MANIFEST") || strings.HasPrefix(name, "marker.") {
			replaceFile(t, fs, name, nil)
		}
	}
	if left < 4 {
		t.Fatalf("only %d files are left over", left)
	}
	s, out := rebuilt(t, fs)
	defer end(t, &s)
	for _, part := range []string{"a", "s", "z"} {
		if body, err := s.Session(part); err != nil || string(body) != "5" {
			t.Errorf("session %s is %q, %v; want that of the last round", part, body, err)
		}
	}
	if kept, err := s.Kept(); err != nil || kept.First != 1 || kept.Last != 50 || len(out.Lost)+len(out.LeftOut) > 0 {
		t.Errorf("got %+v, %v, %+v; want First 1, Last 50, nothing Lost or LeftOut", kept, err, out)
	}
}

// What is left of an archive includes its end, and has no gap.
func TestJRN32AnArchiveHasNoGap(t *testing.T) {
	fs := vfs.NewMem()
	s := open(t, dir, store.Options{FS: fs})
	var parts [][]byte
	for _, text := range []string{"1", "2", "3", "4", "5", "6"} {
		parts = append(parts, []byte(text))
	}
	must(t, errors.Join(s.PutSession("s", nil, parts), s.SyncEntries()))
	end(t, &s)
	edit(t, fs, dir, func(db *pebble.DB) error {
		key := append([]byte("H\x00\x00\x00\x01s"), 0, 0, 0, 0, 0, 0, 0, 3)
		return db.Delete(key, pebble.Sync)
	})
	s, out := rebuilt(t, fs)
	defer end(t, &s)
	var read []string
	err := s.Archived("s", 0, 10, func(n uint64, part []byte) error {
		read = append(read, string(rune('0'+n))+":"+string(part))
		return nil
	})
	if want := []string{"2:1", "3:2", "4:4", "5:5", "6:6"}; err != nil || !slices.Equal(read, want) {
		t.Errorf("%q, %v; want %q", read, err, want)
	}
	if x, err := s.Examine(context.Background()); errors.Join(err, x.Err()) != nil {
		t.Errorf("got %v, %v; want no damage", err, x.Err())
	}
	if len(out.Lost) != 1 {
		t.Errorf("lost %q", out.Lost)
	}
}

// The data of a table can be read even if its index, properties or end is damaged.
func TestJRN32ATableIsReadWithoutItsIndex(t *testing.T) {
	exhaustive.Test(t)
	fs := large(t)
	whole, _ := rebuilt(t, fs)
	want, err := whole.Examine(context.Background())
	end(t, &whole)
	if err != nil {
		t.Fatal(err)
	}
	name := tables(t, fs)[0]
	data := blocks(t, fs, name)
	last := data[len(data)-1]
	for at := int64(last.Offset + last.Bytes + 5); at < sizeOf(t, fs, name); at += 37 {
		flipBit(t, fs, name, at, 2)
		s, out := rebuilt(t, fs)
		got, err := s.Examine(context.Background())
		if err != nil || got.Values != want.Values || len(out.Lost)+len(out.Held) > 0 {
			t.Errorf("byte %d: %d values of %d, lost %q %q, %v", at, got.Values, want.Values, out.Lost, out.Held, err)
		}
		end(t, &s)
		flipBit(t, fs, name, at, 2)
	}
}

// Only an anchor can say that nothing after the last record of a repaired journal is missing: that of a
// closed journal always does, that of one that was not closed if every file can be read.
func TestJRN33OnlyAnAnchorSaysThatNothingIsMissing(t *testing.T) {
	unmarked := func(fs vfs.FS) { // without a manifest, a table that does not open may have held anything
		for name := range files(t, fs) {
			if strings.HasPrefix(name, "MANIFEST") || strings.HasPrefix(name, "marker.") {
				replaceFile(t, fs, name, nil)
			}
		}
	}
	unreadable := func(fs vfs.FS) {
		unmarked(fs)
		name := tables(t, fs)[0]
		flipBit(t, fs, name, sizeOf(t, fs, name)-1, 0)
	}
	remove := func(name string) func(vfs.FS) { return func(fs vfs.FS) { replaceFile(t, fs, name, nil) } }
	logless := func(fs vfs.FS) {
		for name := range files(t, fs) {
			if strings.HasSuffix(name, ".log") {
				replaceFile(t, fs, name, nil)
			}
		}
	}
	for _, test := range []struct {
		what   string
		closed bool
		damage func(vfs.FS)
		want   bool
	}{
		{"closed", true, unmarked, true},
		{"closed, with a file that cannot be read", true, unreadable, true},
		{"closed, with records missing", true, logless, false},
		{"closed, without the anchor", true, remove("anchor"), false},
		{"not closed", false, unmarked, true},
		{"not closed, with a file that cannot be read", false, unreadable, false},
		{"not closed, with records missing", false, logless, false},
		{"not closed, without the anchor", false, remove("anchor"), false},
	} {
		fs := vfs.NewCrashableMem()
		s := open(t, dir, store.Options{FS: fs})
		appendRecords(t, s, 1, 10, true)
		end(t, &s)
		s = open(t, dir, store.Options{FS: fs}) // which writes these to a table
		appendRecords(t, s, 11, 12, true)
		must(t, s.Rest())
		left := fs.CrashClone(vfs.CrashCloneCfg{})
		end(t, &s)
		if test.closed {
			left = fs
		}
		test.damage(left)
		s, out := rebuilt(t, left)
		if out.Whole != test.want {
			t.Errorf("%s: whole is %v, want %v: %+v", test.what, out.Whole, test.want, out)
		}
		end(t, &s)
	}
}
