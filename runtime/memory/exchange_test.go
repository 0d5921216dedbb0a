package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/memory"
	"shelly/runtime/memory/index"
	"shelly/runtime/store"
)

// stepped is a store that reports each step by which one model's vectors replace another's.
type stepped struct {
	*store.Store
	reads   int   // how many times all entries were read
	refuses error // the error of dropping anything
	at      func(step string)
}

func (s *stepped) Entries(fn func(fsm.Entry) error) error {
	s.reads++
	s.at("the entries are read")
	return s.Store.Entries(fn)
}

func (s *stepped) DropIndex(prefixes ...[]byte) error {
	s.at("the old ones are to be dropped")
	if s.refuses != nil {
		return s.refuses
	}
	err := s.Store.DropIndex(prefixes...)
	s.at("the old ones are dropped")
	return err
}

func (s *stepped) WriteIndex(write func(index.Set)) error {
	err := s.Store.WriteIndex(write)
	s.at("a part is written")
	return err
}

const (
	oldNeed = "alpha word3"
	newNeed = "beta gamma word4"
)

// two embeds one need with the old model, which does not answer until let is closed, and everything
// else with the new one, of the same dimension.
type two struct {
	asked chan struct{} // closed when the old model is asked
	let   chan struct{} // closed when it may answer
}

func (two *two) Embed(_ context.Context, text string) ([]byte, string, error) {
	if text != oldNeed {
		return vectorOf(text), "new", nil
	}
	close(two.asked)
	<-two.let
	return vectorOf(text), "old", nil
}

// newStepped makes a store with its index. Half of the entries, the later ones, have vectors of the
// old model, the others of the new.
func newStepped(t *testing.T) *stepped {
	t.Helper()
	s := &stepped{Store: openStore(t, vfs.NewMem()), at: func(string) {}}
	rng := rand.New(rand.NewPCG(11, 11))
	for i := range 600 {
		e := some(rng, i)
		e.At, e.Vector, e.Model = fsm.Millis(i), vectorOf(e.Summary), "old"
		if i < 300 {
			e.Model = "new"
		}
		must(t, s.PutEntry(e))
	}
	openMemory(t, s, "old").Close()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func search(t *testing.T, m *memory.Memory, q memory.Query) memory.Result {
	t.Helper()
	q.TopK = 20
	r, err := m.Search(t.Context(), q)
	if err != nil {
		t.Error(err)
	}
	return r
}

// exchange makes a memory search with a need of the old model, which answers after the given number
// of steps of taking the new one into use, or once these are over. It returns what was found, and
// the step, "" if they were over.
func exchange(t *testing.T, s *stepped, steps int) (m *memory.Memory, found memory.Result, at string) {
	t.Helper()
	e := &two{asked: make(chan struct{}), let: make(chan struct{})}
	m, err := memory.Open(s, memory.Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	done := make(chan struct{})
	go func() {
		defer close(done)
		found = search(t, m, memory.Query{Text: oldNeed})
	}()
	<-e.asked
	s.reads = 0
	s.at = func(step string) {
		if steps--; steps == 0 {
			at = step
			close(e.let)
			<-done
		}
	}
	search(t, m, memory.Query{Text: newNeed})
	s.at = func(string) {}
	if at == "" {
		close(e.let)
		<-done
	}
	return m, found, at
}

// A search whose need was overtaken by another model's vectors uses those of its own model while
// they are in memory, and keywords from then on, whichever step that is: it never compares vectors
// of different models, and does not fail.
func TestMEM16ASearchGoesOnWhileAnotherModelIsTakenIntoUse(t *testing.T) {
	s := newStepped(t)
	m := openMemory(t, bare{s}, "old")
	vectors, keywords := search(t, m, memory.Query{Text: oldNeed}), search(t, m, memory.Query{Text: oldNeed, Mode: memory.Keyword})
	for n := 1; ; n++ {
		s := newStepped(t)
		m, found, at := exchange(t, s, n)
		want := vectors
		if at != "the entries are read" {
			want = keywords
			if found.Keywords == "" || found.Model != "" {
				t.Errorf("%d, %q: it does not say that it went by keyword: %q, model %q", n, at, found.Keywords, found.Model)
			}
			found.Keywords = ""
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Fatalf("%d, %q (-want +got):\n%s", n, at, diff)
		}
		if c := m.Counts(); s.reads != 1 || c.Model != "new" || c.Vectors != 300 {
			t.Fatalf("%d, %q: %+v after %d readings of the entries; want the new model after one", n, at, c, s.reads)
		}
		same(t, fmt.Sprintf("%d, %q, afterwards", n, at), openMemory(t, bare{s}, "new"), openMemory(t, s, "new"))
		if at == "" {
			if n < 6 {
				t.Errorf("the vectors are exchanged in %d steps; want each to be seen", n-1)
			}
			return
		}
	}
}

// Of two needs of a new model, the second uses the vectors that the first took into use.
func TestMEM16VectorsAreTakenIntoUseOnce(t *testing.T) {
	s := newStepped(t)
	m, err := memory.Open(s, memory.Options{Embedder: wordy{"new"}})
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan memory.Result)
	s.reads = 0
	s.at = func(string) {
		s.at = func(string) {}
		go func() { second <- search(t, m, memory.Query{Text: newNeed}) }()
	}
	first := search(t, m, memory.Query{Text: newNeed})
	if diff := cmp.Diff(first, <-second); diff != "" || first.Model != "new" || s.reads != 1 {
		t.Errorf("model %q after %d readings of the entries (-first +second):\n%s", first.Model, s.reads, diff)
	}
	m.Close()
}

// If the store cannot drop the vectors in use, they stay complete.
func TestMEM16VectorsThatCannotBeReplacedStay(t *testing.T) {
	s := newStepped(t)
	want := search(t, openMemory(t, bare{s}, "old"), memory.Query{Text: newNeed})
	m := openMemory(t, s, "new")
	s.refuses = errors.New("the device fails")
	if r := search(t, m, memory.Query{Text: newNeed}); r.Keywords == "" || r.Model != "" {
		t.Errorf("it does not say that it went by keyword: %q, model %q", r.Keywords, r.Model)
	}
	if c := m.Counts(); c.Model != "old" || c.Vectors != 300 {
		t.Errorf("in use are %+v; want the vectors of the old model", c)
	}
	m.Close()
	old := openMemory(t, s, "old")
	if diff := cmp.Diff(want, search(t, old, memory.Query{Text: newNeed})); diff != "" {
		t.Errorf("with the old model (-want +got):\n%s", diff)
	}
	old.Close()
}

// An entry that is forgotten while a list is made is not in it.
func TestMEM10AListLeavesOutWhatIsBeingForgotten(t *testing.T) {
	s := &forgetful{shelf: shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "three"))}
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.gone = func() {
		if n, err := m.Forget(t.Context(), "b"); n != 1 || err != nil {
			t.Errorf("forgot %d, %v", n, err)
		}
	}
	list, n, err := m.List(t.Context(), memory.Filter{}, 0, 10)
	if err != nil || n != 2 || len(list) != 2 || list[0].ID != "c" || list[1].ID != "a" {
		t.Errorf("%d: %+v, %v; want c and a", n, list, err)
	}
}

// forgetful forgets an entry when it is first read.
type forgetful struct {
	*shelf
	gone func()
}

func (f *forgetful) Entry(id string) (fsm.Entry, bool, error) {
	if gone := f.gone; gone != nil {
		f.gone = nil
		gone()
	}
	return f.shelf.Entry(id)
}

// A vector that upkeep asked for before another model was taken into use does not bring its own
// model back, and its entry is given a vector of the other model.
func TestMEM16ALateVectorOfUpkeepChangesNothing(t *testing.T) {
	s := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"))
	e := &overtaken{model: "old"}
	kept(t, s, e, memory.Upkeep{}, func(m *memory.Memory) {
		reads := s.reads
		e.by(m)
		if c := m.Counts(); c.Model != "new" || c.Vectors != 3 || s.spaces("new", 12) != 3 || s.reads != reads+1 {
			t.Errorf("%+v after %d readings of the entries, %d vectors of the new model are kept; want 3 after 1", c, s.reads-reads, s.spaces("new", 12))
		}
	})
}

// overtaken is an embedder of an old model whose next vector arrives only after a need was embedded
// with a new model, which it uses from then on.
type overtaken struct {
	mu    sync.Mutex
	model string
	first func()
}

// by stores an entry whose vector is overtaken.
func (o *overtaken) by(m *memory.Memory) {
	o.mu.Lock()
	o.first = func() {
		o.mu.Lock()
		o.model = "new"
		o.mu.Unlock()
		if _, err := m.Search(context.Background(), memory.Query{Text: "one", TopK: 1}); err != nil {
			panic(err)
		}
	}
	o.mu.Unlock()
	if err := m.Store(context.Background(), entry("c", 3, "three")); err != nil {
		panic(err)
	}
	synctest.Wait()
}

func (o *overtaken) Embed(_ context.Context, text string) ([]byte, string, error) {
	o.mu.Lock()
	model, first := o.model, o.first
	o.first = nil
	o.mu.Unlock()
	if first != nil {
		first()
	}
	return vectorOf(text), model, nil
}
