package memory_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/exhaustive"
	"shelly/runtime/memory"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

// readCounter is a store that counts how many times its entries are read.
type readCounter struct {
	*store.Store
	reads int
}

func (c *readCounter) Entries(fn func(fsm.Entry) error) error {
	c.reads++
	return c.Store.Entries(fn)
}

// bare is a store without a place for an index: its memory is built from the entries.
type bare struct{ entries }

type entries = memory.Entries

// wordy is an embedder whose vectors depend only on the text.
type wordy struct{ model string }

func (w wordy) Embed(_ context.Context, text string) ([]byte, string, error) {
	return vectorOf(text), w.model, nil
}

func vectorOf(text string) []byte {
	rng := rand.New(rand.NewPCG(uint64(len(text)), uint64(text[0])<<8|uint64(text[len(text)-1])))
	of := make([]float32, 12)
	for i := range of {
		of[i] = float32(rng.NormFloat64())
	}
	return vector(of...)
}

func openStore(t *testing.T, fs vfs.FS) *store.Store {
	t.Helper()
	s, err := store.Open("data", store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openMemory(t *testing.T, s memory.Entries, model string) *memory.Memory {
	t.Helper()
	m, err := memory.Open(s, memory.Options{Embedder: wordy{model}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// seen returns everything that can be asked of a memory.
func seen(t *testing.T, m *memory.Memory) (all []any) {
	t.Helper()
	for _, need := range []string{"alpha", "beta gamma", "delta word3 word44", "secret word7"} {
		for _, mode := range []memory.Mode{memory.Hybrid, memory.Keyword, memory.Vector} {
			r, err := m.Search(t.Context(), memory.Query{Text: need, TopK: 20, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}
	list, n, err := m.List(t.Context(), memory.Filter{OfSession: true, Session: "s3"}, 0, 50)
	if err != nil {
		t.Fatal(err)
	}
	return append(all, list, n, m.Counts())
}

// same fails t unless two memories give the same answers.
func same(t *testing.T, when string, want, got *memory.Memory) {
	t.Helper()
	if diff := cmp.Diff(seen(t, want), seen(t, got)); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", when, diff)
	}
}

// some returns an entry of a few words. One in five has no vector, one in fifty a vector without a
// direction, and one in seven a vector of another model.
func some(rng *rand.Rand, id int) fsm.Entry {
	e := fsm.Entry{ID: fmt.Sprint("h", id), Kind: "user", Session: fmt.Sprint("s", rng.IntN(40)), At: fsm.Millis(rng.IntN(1000)), Source: fsm.FromOperator}
	for range 3 + rng.IntN(5) {
		e.Summary += fmt.Sprint([]string{"alpha ", "beta ", "gamma ", "delta ", "word"}[rng.IntN(5)], rng.IntN(300), " ")
	}
	if e.Text = "secret"; rng.IntN(3) == 0 {
		e.Text = fmt.Sprint("word", rng.IntN(60), " word", rng.IntN(60))
	}
	switch {
	case rng.IntN(5) == 0:
	case rng.IntN(50) == 0:
		e.Vector, e.Model = make([]byte, 48), "m"
	default:
		e.Vector, e.Model = vectorOf(e.Summary), "m"
		if rng.IntN(7) == 0 {
			e.Model = "other"
		}
	}
	return e
}

// Whatever is stored, replaced and forgotten, a memory that is opened again answers like one built
// from the entries, and reads no entries.
func TestMEM7AnIndexThatWasKeptIsTheOneThatEntriesMake(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewMem()
	rng := rand.New(rand.NewPCG(7, 7))
	s := openStore(t, fs)
	m := openMemory(t, s, "m")
	next := 0
	for round := range 4 {
		for range 500 {
			must(t, m.Store(t.Context(), some(rng, next)))
			next++
		}
		for range 30 {
			must(t, m.Store(t.Context(), some(rng, rng.IntN(next))))
		}
		var ids []string
		for range 10 {
			ids = append(ids, fmt.Sprint("h", rng.IntN(next)))
		}
		if _, err := m.Forget(t.Context(), ids...); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("round %d, in memory", round), openMemory(t, bare{s}, "m"), m)
		m.Close()
		must(t, s.Close())
		s = openStore(t, fs)
		c := &readCounter{Store: s}
		m = openMemory(t, c, "m")
		if c.reads != 0 {
			t.Fatalf("round %d: the entries were read", round)
		}
		same(t, fmt.Sprintf("round %d, opened again", round), openMemory(t, bare{s}, "m"), m)
	}
	must(t, s.Close())
}

// With more vectors than are all compared, too, a memory that is opened again finds what it found
// before.
func TestMEM7SignsAreKeptWithTheVectors(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewMem()
	rng := rand.New(rand.NewPCG(8, 8))
	s := openStore(t, fs)
	m := openMemory(t, s, "m")
	for i := range 5000 {
		e := some(rng, i)
		e.Vector, e.Model = vectorOf(fmt.Sprint(i, e.Summary, rng.Uint64())), "m"
		must(t, m.Store(t.Context(), e))
	}
	before := seen(t, m)
	m.Close()
	must(t, s.Close())
	s = openStore(t, fs)
	m = openMemory(t, s, "m")
	if diff := cmp.Diff(before, seen(t, m)); diff != "" {
		t.Errorf("opened again (-before +after):\n%s", diff)
	}
	if _, err := m.Forget(t.Context(), "h7", "h4990"); err != nil {
		t.Fatal(err)
	}
	before = seen(t, m)
	m.Close()
	if diff := cmp.Diff(before, seen(t, openMemory(t, s, "m"))); diff != "" {
		t.Errorf("opened again after some were forgotten (-before +after):\n%s", diff)
	}
	must(t, s.Close())
}

// A crash at any moment leaves an index and entries that agree, whether the index is complete or
// has to be rebuilt.
func TestMEM7ACrashLeavesAnIndexOfTheEntriesThatAreThere(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewCrashableMem()
	rng := rand.New(rand.NewPCG(9, 9))
	var clones []vfs.FS
	crash := func() {
		clones = append(clones, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng}))
	}
	s := openStore(t, fs)
	random := rand.New(rand.NewPCG(9, 10))
	for i := range 700 { // the index is built from these
		must(t, s.PutEntry(some(random, i)))
	}
	m := memory.Begin(s, memory.Options{Embedder: wordy{"m"}})
	crash() // while it is being built
	must(t, m.Wait(t.Context()))
	for i := range 1500 {
		must(t, m.Store(t.Context(), some(random, random.IntN(2000))))
		if i%300 == 17 {
			must(t, s.SyncEntries())
		}
		if i%149 == 1 {
			crash()
		}
		if i%400 == 5 {
			if _, err := m.Forget(t.Context(), fmt.Sprint("h", i), fmt.Sprint("h", i/2)); err != nil {
				t.Fatal(err)
			}
			crash()
		}
	}
	m.Close()
	must(t, s.Close())
	kept := 0
	for i, left := range clones {
		s := &readCounter{Store: openStore(t, left)}
		m := openMemory(t, s, "m")
		if s.reads == 0 {
			kept++
		}
		same(t, fmt.Sprint("crash ", i), openMemory(t, bare{s}, "m"), m)
		must(t, s.Close())
	}
	if kept == 0 || kept == len(clones) {
		t.Errorf("after %d of %d crashes there was an index; want some and not all", kept, len(clones))
	}
}

// After a crash between any two writes there are both an entry and its part of the index, or
// neither.
func TestMEM7AnEntryAndItsIndexAreWrittenAtOnce(t *testing.T) {
	exhaustive.Test(t)
	fs := vfs.NewCrashableMem()
	rng := rand.New(rand.NewPCG(5, 5))
	s := openStore(t, fs)
	m := openMemory(t, s, "m")
	must(t, s.SyncEntries())
	for i := range 400 {
		must(t, m.Store(t.Context(), some(rng, i)))
	}
	m.Close()
	lost := map[int]bool{}
	for range 60 { // each loses the log from another page on
		s := &readCounter{Store: openStore(t, fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 95, RNG: rng}))}
		m := openMemory(t, s, "m")
		made := openMemory(t, bare{s}, "m")
		if s.reads != 1 {
			t.Error("the index was made again")
		}
		lost[400-m.Counts().Entries] = true
		if diff := cmp.Diff(made.Counts(), m.Counts()); diff != "" {
			t.Errorf("what the entries make, and what was kept (-want +got):\n%s", diff)
		}
		must(t, s.Close())
	}
	if len(lost) < 5 {
		t.Errorf("the crashes have lost %v entries; want many numbers", lost)
	}
	must(t, s.Close())
}

// cut is a store that a crash keeps from sealing a segment of the index.
type cut struct{ *store.Store }

func (cut) WriteIndex(func(index.Set)) error { return errors.New("the process has ended") }

// A crash may come after the last entry of a segment, and before the segment is sealed. Then its
// entries and the next ones are found, replaced and forgotten like any others.
func TestMEM7ACrashBeforeASegmentIsSealedLosesNothing(t *testing.T) {
	fs := vfs.NewMem()
	s := openStore(t, fs)
	m := openMemory(t, s, "m")
	for i := range index.SegmentDocs - 1 {
		must(t, m.Store(t.Context(), entry(fmt.Sprint("e", i), 1, fmt.Sprint("word", i))))
	}
	last := entry("last", 1, "zebra")
	if err := openMemory(t, cut{s}, "m").Store(t.Context(), last); err == nil {
		t.Fatal("the segment was sealed")
	}
	must(t, s.Close())
	s = openStore(t, fs)
	m = openMemory(t, s, "m")
	must(t, m.Store(t.Context(), last)) // once more: whether it was stored is lost with the process
	must(t, m.Store(t.Context(), entry("next", 2, "zebra giraffe")))
	wantRecall(t, m, "zebra", 5, "last", "next")
	same(t, "in memory", openMemory(t, bare{s}, "m"), m)
	must(t, s.Close())
	s = openStore(t, fs)
	m = openMemory(t, s, "m")
	wantRecall(t, m, "giraffe", 5, "next")
	if n, err := m.Forget(t.Context(), "last", "next", "e3"); n != 3 || err != nil {
		t.Errorf("%d entries were forgotten, %v; want three", n, err)
	}
	wantRecall(t, m, "zebra word3", 5)
	same(t, "opened again", openMemory(t, bare{s}, "m"), m)
	must(t, s.Close())
}

// An index that is damaged, of another version, or incomplete because an entry was put without it,
// is rebuilt; that of a store opened read-only is rebuilt in memory.
func TestMEM7AnIndexThatIsNotWholeIsMadeAgain(t *testing.T) {
	exhaustive.Test(t)
	for _, test := range []struct {
		name string
		harm func(s *store.Store) error
	}{
		{"another version", func(s *store.Store) error {
			return s.WriteIndex(func(set index.Set) { set(index.VersionKey(), []byte("0")) })
		}},
		{"an entry put without it", func(s *store.Store) error { return s.PutEntry(fsm.Entry{ID: "new", Summary: "alpha"}) }},
		{"an entry forgotten without it", func(s *store.Store) error { return s.ForgetEntries([]string{"h3"}) }},
		{"a segment that is malformed", func(s *store.Store) error {
			return s.WriteIndex(func(set index.Set) { set(index.Key(index.Docs, 0), []byte("x")) })
		}},
		{"a segment that is missing", func(s *store.Store) error { return s.DropIndex([]byte{index.Docs}) }},
		{"rows that are missing", func(s *store.Store) error { return s.DropIndex([]byte{index.Heads}) }},
		{"a row of no entry", func(s *store.Store) error {
			return s.WriteIndex(func(set index.Set) { set(index.Key(index.Tail, 1060), nil) })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fs := vfs.NewMem()
			rng := rand.New(rand.NewPCG(1, 9))
			s := openStore(t, fs)
			m := openMemory(t, s, "m")
			for i := range 1070 {
				e := some(rng, i)
				e.Vector, e.Model = vectorOf(e.Summary), "m"
				must(t, m.Store(t.Context(), e))
			}
			m.Close()
			must(t, test.harm(s))
			must(t, s.Close())
			sameOnlyRead(t, fs)
			for _, want := range []int{1, 0} { // it is rebuilt only once
				s := &readCounter{Store: openStore(t, fs)}
				m := openMemory(t, s, "m")
				if made := min(1, s.reads); made != want {
					t.Errorf("the entries were read %d times; want %d", made, want)
				}
				same(t, "opened again", openMemory(t, bare{s}, "m"), m)
				m.Close()
				must(t, s.Close())
			}
		})
	}
}

// With too little space the index is not written, and the memory still works fully.
func TestMEM7WithoutSpaceNoIndexIsWritten(t *testing.T) {
	s := &narrow{Store: openStore(t, vfs.NewMem())}
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range 50 {
		must(t, s.PutEntry(some(rng, i)))
	}
	m := openMemory(t, s, "m")
	must(t, m.Store(t.Context(), some(rng, 50)))
	var keys []string
	err := s.ReadIndex(nil, func(key, _ []byte) error { keys = append(keys, string(key)); return nil })
	if err != nil || len(keys) > 0 {
		t.Errorf("the index has %q, %v", keys, err)
	}
	same(t, "without an index", openMemory(t, bare{s}, "m"), m)
	must(t, s.Close())
}

type narrow struct{ *store.Store }

func (narrow) Space() error { return fmt.Errorf("the disk is full") }

// Another model's vectors replace those that are stored, and so do those that upkeep makes.
func TestMEM8VectorsOfAnotherModelAreKeptInTheirPlace(t *testing.T) {
	fs := vfs.NewMem()
	rng := rand.New(rand.NewPCG(4, 4))
	s := openStore(t, fs)
	m := openMemory(t, s, "m")
	for i := range 300 {
		must(t, m.Store(t.Context(), some(rng, i)))
	}
	m.Close()
	m = openMemory(t, s, "new")
	ctx, cancel := context.WithCancel(t.Context())
	pause := func(context.Context, time.Duration) error { return errors.New("a vector could not be made") }
	err := m.Keep(ctx, memory.Upkeep{Quiet: always, Pause: pause, Log: slog.New(last{slog.DiscardHandler, cancel})})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	m.Close()
	c := &readCounter{Store: s}
	m = openMemory(t, c, "new")
	if got := m.Counts(); c.reads != 0 || got.Model != "new" || got.Vectors != 300 || got.Pending != 0 {
		t.Errorf("opened again after %d readings: %+v", c.reads, got)
	}
	same(t, "opened again", openMemory(t, bare{s}, "new"), m)
	must(t, s.Close())
}

// last calls a function once upkeep logs that every entry has its vector.
type last struct {
	slog.Handler
	then func()
}

func (last) Enabled(context.Context, slog.Level) bool { return true }

func (l last) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "every memory entry") {
		l.then()
	}
	return nil
}

// sameOnlyRead compares the memory of a store opened read-only with one built from its entries.
func sameOnlyRead(t *testing.T, fs vfs.FS) {
	t.Helper()
	still, err := store.OpenReadOnly("data", store.Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "only read", openMemory(t, bare{still}, "m"), openMemory(t, still, "m"))
	must(t, still.Close())
}
