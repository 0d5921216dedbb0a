package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/runtime/exhaustive"
	"shelly/runtime/memory"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

const (
	copyBytes = 4 + 12 // for the vectors of wordy
	copied    = 4992   // rows in whole blocks of heads, in the store that stored makes
)

// stored makes a store of 5,000 entries with vectors and its index, and closes both.
func stored(t *testing.T) vfs.FS {
	t.Helper()
	fs := vfs.NewMem()
	s := openStore(t, fs)
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 5000 {
		e := some(rng, i)
		of := make([]float32, 12)
		for i := range of {
			of[i] = float32(rng.NormFloat64())
		}
		e.Vector, e.Model = vector(of...), "m"
		must(t, s.PutEntry(e))
	}
	openMemory(t, s, "m").Close()
	must(t, s.Close())
	return fs
}

// rowCounter is a store that counts the blocks of rows read from it.
type rowCounter struct {
	*store.Store
	blocks int
}

func (c *rowCounter) ReadIndexAt(keys [][]byte, fn func(key, value []byte) error) error {
	for _, key := range keys {
		if key[0] == index.Rows {
			c.blocks++
		}
	}
	return c.Store.ReadIndexAt(keys, fn)
}

// copiesOf returns the content of the file of copies.
func copiesOf(t *testing.T, s *store.Store) []byte {
	t.Helper()
	n, err := s.Vectors().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, n)
	if _, err := s.Vectors().Read(text, 0); err != nil && n > 0 && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return text
}

// A search trusts only those copies that are of the row: whatever else is in the file, it finds
// what it would without it, and repairs what it has read.
func TestMEM7OnlyACopyOfTheRowIsCompared(t *testing.T) {
	exhaustive.Test(t)
	for _, test := range []struct {
		name  string
		harm  func(s *store.Store, text []byte) error
		whole bool // the copies are good
	}{
		{"as they were", func(*store.Store, []byte) error { return nil }, true},
		{"there are none", func(s *store.Store, _ []byte) error { return s.Vectors().Remove() }, false},
		{"zeros", func(s *store.Store, text []byte) error {
			return s.Vectors().Write(make([]byte, len(text)), 0)
		}, false},
		{"the file ends within a row", func(s *store.Store, text []byte) error {
			return errors.Join(s.Vectors().Remove(), s.Vectors().Write(text[:len(text)/2+3], 0))
		}, false},
		{"a bit of each has turned", func(s *store.Store, text []byte) error {
			for at := 7; at < len(text); at += copyBytes {
				text[at] ^= 4
			}
			return s.Vectors().Write(text, 0)
		}, false},
		{"each is that of the row before", func(s *store.Store, text []byte) error {
			return s.Vectors().Write(text[:len(text)-copyBytes], copyBytes)
		}, false},
		{"each is of another vector of its length, that had its slot", others, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			fs := stored(t)
			s := &rowCounter{Store: openStore(t, fs)}
			text := copiesOf(t, s.Store)
			if len(text) != copied*copyBytes {
				t.Fatalf("the copies have %d bytes; want %d", len(text), copied*copyBytes)
			}
			must(t, test.harm(s.Store, bytes.Clone(text)))
			made, m := openMemory(t, bare{s}, "m"), openMemory(t, s, "m")
			same(t, "opened", made, m)
			if (s.blocks == 0) != test.whole {
				t.Errorf("%d blocks of the store were read", s.blocks)
			}
			s.blocks = 0
			same(t, "again", made, m)
			if s.blocks != 0 {
				t.Errorf("%d blocks of the store were read again", s.blocks)
			}
			must(t, s.Close())
		})
	}
}

// others writes valid copies of the opposite vectors.
func others(s *store.Store, text []byte) error {
	var all []byte
	err := s.ReadIndex([]byte{index.Heads}, func(_, value []byte) error {
		for ; len(value) > 0; value = value[index.HeadBytes(1):] {
			numbers := bytes.Clone(text[len(all)+4:][:12])
			for i, x := range numbers {
				numbers[i] = -x
			}
			slot, scale := index.ReadHead(value, nil)
			all = index.AppendCopy(all, slot, scale, numbers)
		}
		return nil
	})
	return errors.Join(err, s.Vectors().Write(all, 0))
}

// If the vectors of a store were never copied, as an older shelly leaves it, upkeep makes the
// copies; a store opened read-only is not changed.
func TestMEM7AStoreWithoutCopiesIsGivenThem(t *testing.T) {
	exhaustive.Test(t)
	fs := stored(t)
	must(t, fs.Remove("data/vectors"))
	sameOnlyRead(t, fs)
	if _, err := fs.Stat("data/vectors"); err == nil {
		t.Error("a store that is only read was given copies")
	}
	s := &rowCounter{Store: openStore(t, fs)}
	m := openMemory(t, s, "m")
	ctx, cancel := context.WithCancel(t.Context())
	quiet := func(context.Context) error { cancel(); return ctx.Err() } // upkeep calls it after that
	if err := m.Keep(ctx, memory.Upkeep{Quiet: quiet, Pause: never, Log: slog.New(slog.DiscardHandler)}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.blocks = 0
	same(t, "with copies", openMemory(t, bare{s}, "m"), m)
	if s.blocks != 0 {
		t.Errorf("%d blocks of the store were read", s.blocks)
	}
	must(t, s.Close())
}

func never(context.Context, time.Duration) error { return errors.New("there is nothing to wait for") }

// The copies keep nothing of a forgotten entry, or of an entry's version before it was replaced.
// The others stay.
func TestMEM10CopiesKeepNothingOfAForgottenVector(t *testing.T) {
	exhaustive.Test(t)
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint("writing fails ", fails), func(t *testing.T) {
			disk := &blocked{FS: stored(t)}
			s := openStore(t, disk)
			m := openMemory(t, s, "m")
			before := copiesOf(t, s)
			row := func(n int) []byte { return before[n*copyBytes+4:][:12] }
			slots := map[string]int{} // by id; slots are rows, too, because each has a vector
			must(t, s.Entries(func(e fsm.Entry) error { slots[e.ID] = len(slots); return nil }))
			e := fsm.Entry{ID: "h41", Summary: "alpha", Vector: vectorOf("alpha"), Model: "m"}
			must(t, m.Store(t.Context(), e))
			disk.fails = fails
			if n, err := m.Forget(t.Context(), "h40"); n != 1 || err != nil {
				t.Fatalf("forgot %d, %v", n, err)
			}
			disk.fails = false
			text := copiesOf(t, s)
			for _, id := range []string{"h40", "h41"} {
				if bytes.Contains(text, row(slots[id])) {
					t.Errorf("the copies still have the row of %s", id)
				}
			}
			if kept := bytes.Contains(text, row(slots["h42"])); kept == fails {
				t.Errorf("the copies have the row of another: %v", kept)
			}
			same(t, "afterwards", openMemory(t, bare{s}, "m"), m)
			must(t, s.Close())
		})
	}
}

// blocked is a disk on which the file of copies cannot be written while fails is set.
type blocked struct {
	vfs.FS
	fails bool
}

func (b *blocked) OpenReadWrite(name string, category vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := b.FS.OpenReadWrite(name, category, o...)
	return blockedFile{f, b}, err
}

type blockedFile struct {
	vfs.File
	of *blocked
}

func (f blockedFile) WriteAt(p []byte, at int64) (int, error) {
	if f.of.fails {
		return 0, errors.New("the device fails")
	}
	return f.File.WriteAt(p, at)
}

// If no copy can be written, for lack of space or because the device fails, the memory works
// without copies, and the store is not affected.
func TestMEM7CopiesAreDoneWithout(t *testing.T) {
	exhaustive.Test(t)
	disk := &blocked{FS: vfs.NewMem(), fails: true}
	s := openStore(t, disk)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, kept := range []memory.Entries{s, &narrow{Store: s}} {
		m := openMemory(t, kept, "m")
		for i := range 200 {
			must(t, m.Store(t.Context(), some(rng, i)))
		}
		same(t, "without copies", openMemory(t, bare{s}, "m"), m)
		m.Close()
		same(t, "opened again", openMemory(t, bare{s}, "m"), openMemory(t, kept, "m"))
		if n := len(copiesOf(t, s)); n != 0 {
			t.Errorf("the copies have %d bytes", n)
		}
		disk.fails = false
	}
	must(t, s.Close())
}

// Forgetting an entry while there is no index removes all copies.
func TestMEM10WithoutTheIndexNoCopyStays(t *testing.T) {
	exhaustive.Test(t)
	s := openStore(t, stored(t))
	must(t, s.ForgetEntries([]string{"h3"}))
	if n := len(copiesOf(t, s)); n != 0 {
		t.Errorf("the copies have %d bytes", n)
	}
	must(t, s.Close())
}
