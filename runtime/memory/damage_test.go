package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

// torn is a shelf on which one entry is damaged.
type torn struct {
	*shelf
	id string
}

func (d torn) Entry(id string) (fsm.Entry, bool, error) {
	if id == d.id {
		return fsm.Entry{}, false, fmt.Errorf("%w: memory entry %q", engine.ErrDamaged, id)
	}
	return d.shelf.Entry(id)
}

// A damaged entry keeps no other from getting its vector (JRN-30).
func TestMEM8ADamagedEntryIsPassedOver(t *testing.T) {
	s := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "three"), entry("d", 4, "four"))
	kept(t, torn{s, "b"}, &model{name: "m", dims: 3}, memory.Upkeep{}, func(m *memory.Memory) {
		if got := s.spaces("m", 3); got != 3 {
			t.Errorf("%d entries have a vector; want all but the damaged one", got)
		}
		keep(t, m, entry("e", 5, "five"))
		synctest.Wait()
		if got := s.spaces("m", 3); got != 4 {
			t.Errorf("%d entries have a vector; want that of the new one as well", got)
		}
	})
}

// lacking is a store whose index can be unreadable.
type lacking struct {
	*store.Store
	damaged bool
}

func (l *lacking) ReadIndex(prefix []byte, fn func(key, value []byte) error) error {
	if l.damaged {
		return fmt.Errorf("%w: the memory's index", engine.ErrDamaged)
	}
	return l.Store.ReadIndex(prefix, fn)
}

// What cannot be taken out of a damaged index is not forgotten, and nothing says that it is.
func TestMEM10WhatTheIndexCannotForgetStays(t *testing.T) {
	s := &lacking{Store: openStore(t, vfs.NewMem())}
	m := openMemory(t, s, "m")
	for i := range index.SegmentDocs {
		must(t, m.Store(t.Context(), entry(fmt.Sprint("e", i), 1, fmt.Sprint("word", i))))
	}
	s.damaged = true
	if n, err := m.Forget(t.Context(), "e7"); n != 0 || err == nil {
		t.Errorf("%d entries were forgotten, %v; want none and an error", n, err)
	}
	s.damaged = false
	wantRecall(t, m, "word7", 1, "e7")
	if n, err := m.Forget(t.Context(), "e7"); n != 1 || err != nil {
		t.Errorf("%d entries were forgotten, %v; want one", n, err)
	}
	wantRecall(t, m, "word7", 1)
	must(t, s.Close())
}

// ReadIndexAt implements [memory.Index].
func (l *lacking) ReadIndexAt(keys [][]byte, fn func(key, value []byte) error) error {
	if l.damaged {
		return fmt.Errorf("%w: the memory's index", engine.ErrDamaged)
	}
	return l.Store.ReadIndexAt(keys, fn)
}

// A search goes on without the part of the index that is damaged: entries are found by what can be
// read, and the result says if vectors could not be compared.
func TestJRN30ASearchGoesOnWithoutADamagedIndex(t *testing.T) {
	fs := stored(t)
	s := &lacking{Store: openStore(t, fs)}
	m := openMemory(t, s, "m")
	must(t, m.Store(t.Context(), entry("new", 1, "alpha zebra")))
	must(t, s.Vectors().Remove()) // so that vectors are read from the index
	sound, err := m.Search(t.Context(), memory.Query{Text: "alpha zebra", TopK: 5})
	if err != nil || sound.Keywords != "" || sound.Model != "m" || len(sound.Found) < 2 {
		t.Fatalf("%+v, %v; want entries, by both orders", sound, err)
	}
	must(t, s.Vectors().Remove())
	s.damaged = true
	for _, mode := range []memory.Mode{memory.Hybrid, memory.Keyword, memory.Vector} {
		r, err := m.Search(t.Context(), memory.Query{Text: "alpha zebra", TopK: 5, Mode: mode})
		if err != nil || r.Model != "" || (mode != memory.Keyword) != strings.Contains(r.Keywords, "the vectors cannot be read: the data folder is damaged") {
			t.Errorf("%s: %+v, %v; want that it goes on without vectors, and says so", mode, r, err)
		}
		if mode != memory.Vector && (len(r.Found) == 0 || r.Found[0].ID != "new" || r.Found[0].Pending) {
			t.Errorf("%s: %+v; want first the entry that is in no damaged part", mode, r.Found)
		}
	}
	if r, err := m.Search(t.Context(), memory.Query{Text: "word1", TopK: 5, Mode: memory.Keyword, Filter: memory.Filter{Before: 1}}); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("%+v, %v; want an error rather than nothing, which may not be all there is", r, err)
	}
	s.damaged = false
	must(t, s.Close())
}
