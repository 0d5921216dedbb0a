package memory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/runtime/memory"
)

// model embeds every text under a name and with a dimension that may change, and counts calls.
type model struct {
	mu     sync.Mutex
	name   string
	dims   int
	fails  bool
	before func(text string) // called for each text
	asked  []string
}

func (m *model) Embed(_ context.Context, text string) ([]byte, string, error) {
	if m.before != nil {
		m.before(text)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, text)
	if m.fails {
		return nil, "", errors.New("the model does not answer")
	}
	of := make([]float32, m.dims)
	of[0], of[m.dims-1] = 1, float32(len(text))
	return vector(of...), m.name, nil
}

func (m *model) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.asked)
}

func always(context.Context) error { return nil }

// kept runs a memory's upkeep in a bubble of virtual time while f runs, and then ends it.
func kept(t *testing.T, s memory.Entries, e memory.Embedder, u memory.Upkeep, f func(m *memory.Memory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m, err := memory.Open(s, memory.Options{Embedder: e})
		if err != nil {
			t.Fatal(err)
		}
		if u.Pause = clock.Pause; u.Log == nil {
			u.Log = slog.New(slog.DiscardHandler)
		}
		if u.Quiet == nil {
			u.Quiet = always
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- m.Keep(ctx, u) }()
		synctest.Wait()
		f(m)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Keep: %v; want that its context has ended", err)
		}
	})
}

// spaces returns how many entries have a vector of this model and dimension.
func (s *shelf) spaces(model string, dims int) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.Model == model && len(e.Vector) == 4*dims {
			n++
		}
	}
	return n
}

func shelfOf(entries ...fsm.Entry) *shelf { return &shelf{entries: entries} }

func TestMEM8EntriesWithoutAVectorAreGivenOne(t *testing.T) {
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("blank", 3, " ")), &model{name: "m", dims: 3}
	kept(t, s, e, memory.Upkeep{}, func(m *memory.Memory) {
		if got, c := s.spaces("m", 3), m.Counts(); got != 2 || c.Vectors != 2 || c.Pending != 1 || c.Model != "m" {
			t.Errorf("%d entries have a vector, %+v; want 2, and the blank one left alone", got, c)
		}
		keep(t, m, entry("c", 4, "three")) // arrives without a vector because its embedding failed
		synctest.Wait()
		if got := s.spaces("m", 3); got != 3 {
			t.Errorf("%d entries have a vector; want that of the new one as well", got)
		}
	})
}

// A vector that nothing can be compared with counts as none, also next to good ones.
func TestMEM8AVectorWithoutADirectionIsMadeAgain(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	s, e := shelfOf(), &model{name: "m", dims: 2}
	for i, v := range [][]byte{vector(0, 0), vector(nan, 1), vector(1, inf), vector(1, 0)} {
		of := entry(fmt.Sprint("e", i), fsm.Millis(i), "some words")
		of.Vector, of.Model = v, "m"
		s.entries = append(s.entries, of)
	}
	kept(t, s, e, memory.Upkeep{}, func(m *memory.Memory) {
		bad := entry("imported", 9, "more words")
		bad.Vector, bad.Model = vector(0, 0), "m"
		if _, err := m.Bring(t.Context(), []fsm.Entry{bad}, memory.Bringing{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if c := m.Counts(); c.Vectors != 5 || c.Pending != 0 {
			t.Errorf("%+v; want a vector for each of 5 entries", c)
		}
		if got := e.count(); got != 5 {
			t.Errorf("the model was asked %d times; want once to know it, and once for each of 4 entries", got)
		}
	})
}

func TestMEM8AnotherModelOrDimensionEmbedsAgain(t *testing.T) {
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two")), &model{name: "old", dims: 3}
	kept(t, s, e, memory.Upkeep{}, func(*memory.Memory) {})
	for _, now := range []struct {
		name string
		dims int
	}{{"new", 3}, {"new", 5}} {
		e.name, e.dims = now.name, now.dims
		kept(t, s, e, memory.Upkeep{}, func(m *memory.Memory) {
			if got := s.spaces(now.name, now.dims); got != 2 {
				t.Errorf("%d entries have a vector of %s with %d dimensions; want both", got, now.name, now.dims)
			}
			wantRecall(t, m, "two", 1, "b")
		})
	}
	before := e.count()
	kept(t, s, e, memory.Upkeep{}, func(*memory.Memory) {})
	if got := e.count() - before; got != 1 {
		t.Errorf("%d embeddings where all is done; want the one that asks which model it is", got)
	}
}

func TestMEM8UpkeepGoesOnAfterARestart(t *testing.T) {
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "three")), &model{name: "m", dims: 2}
	turns := 2 // how many times the model is free
	quiet := func(ctx context.Context) error {
		if turns--; turns >= 0 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	kept(t, s, e, memory.Upkeep{Quiet: quiet}, func(*memory.Memory) {})
	if got := s.spaces("m", 2); got == 0 || got == 3 {
		t.Fatalf("%d entries have a vector; want some", got)
	}
	kept(t, s, e, memory.Upkeep{}, func(*memory.Memory) {})
	if got := s.spaces("m", 2); got != 3 {
		t.Errorf("after a restart %d entries have a vector; want all", got)
	}
}

func TestMEM8AModelThatFailsIsTriedAgainLater(t *testing.T) {
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "three")), &model{name: "m", dims: 2, fails: true}
	kept(t, s, e, memory.Upkeep{}, func(*memory.Memory) {
		tried := e.count()
		if tried > 4 {
			t.Errorf("a model that fails is asked %d times at once", tried)
		}
		e.set(func() { e.fails = false })
		time.Sleep(2 * time.Minute) // of virtual time
		synctest.Wait()
		if got := s.spaces("m", 2); got != 3 {
			t.Errorf("%d entries have a vector once the model answers; want all", got)
		}
	})
}

// A few entries that no model can embed are not reported as embedded, and are tried again even if
// no new entry arrives.
func TestMEM8NothingIsSaidToBeEmbeddedThatIsNot(t *testing.T) {
	var log bytes.Buffer
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two")), &model{name: "m", dims: 3, fails: true}
	kept(t, s, e, memory.Upkeep{Log: slog.New(slog.NewTextHandler(&log, nil))}, func(*memory.Memory) {
		time.Sleep(time.Hour)
		synctest.Wait()
		if log.Len() > 0 {
			t.Errorf("without a model it says\n%s", log.String())
		}
		e.set(func() { e.fails = false })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := s.spaces("m", 3); got != 2 || !strings.Contains(log.String(), "every memory entry has its vector") {
			t.Errorf("%d entries have a vector, of 2; it says\n%s", got, log.String())
		}
	})
}

func TestMEM8WhatIsReplacedOrForgottenMeanwhileStaysSo(t *testing.T) {
	s, e := shelfOf(entry("a", 1, "one"), entry("b", 2, "two"), entry("c", 3, "three")), &model{name: "m", dims: 2}
	var m *memory.Memory
	opened := make(chan struct{})
	var once sync.Once
	e.before = func(text string) {
		<-opened
		once.Do(func() {
			keep(t, m, entry("a", 9, "another one"))
			if n, err := m.Forget(t.Context(), "b", "c", "nobody's"); n != 2 || err != nil {
				t.Errorf("Forget: %d, %v; want 2", n, err)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var err error
		if m, err = memory.Open(s, memory.Options{Embedder: e}); err != nil {
			t.Fatal(err)
		}
		close(opened)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- m.Keep(ctx, memory.Upkeep{Quiet: always, Pause: clock.Pause, Log: slog.New(slog.DiscardHandler)})
		}()
		synctest.Wait()
		cancel()
		<-done
	})
	a, _, _ := s.Entry("a")
	if len(s.entries) != 1 || a.Summary != "another one" || a.Model != "m" {
		t.Errorf("what is kept: %+v; want the replaced entry alone, with a vector of its own", s.entries)
	}
}

// What a person changes of an entry while it is embedded stays changed, even if its summary and its
// time are as they were.
func TestMEM8WhatIsChangedBesidesItsSummaryMeanwhileStaysSo(t *testing.T) {
	was := fsm.Entry{ID: "a", Kind: "note", At: 1, Summary: "the printer", Text: "it is on the second floor"}
	now := was
	now.Kind, now.Session, now.Source, now.Text = "moved", "office", fsm.FromPerson, "it is on the fifth floor"
	s, e := shelfOf(was), &model{name: "m", dims: 2}
	var once sync.Once
	var m *memory.Memory // opened before anything is embedded
	e.before = func(string) {
		once.Do(func() {
			if _, err := m.Bring(t.Context(), []fsm.Entry{now}, memory.Bringing{Replace: true}); err != nil {
				t.Error(err)
			}
		})
	}
	var opened atomic.Bool
	quiet := func(ctx context.Context) error {
		for !opened.Load() && ctx.Err() == nil {
			time.Sleep(time.Second) // of virtual time
		}
		return ctx.Err()
	}
	kept(t, s, e, memory.Upkeep{Quiet: quiet}, func(of *memory.Memory) {
		m = of
		opened.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantRecall(t, m, "fifth", 1, "a")
	})
	got, _, _ := s.Entry("a")
	if got.Model != "m" {
		t.Errorf("model %q of the vector; want m", got.Model)
	}
	if got.Vector, got.Model = nil, ""; !reflect.DeepEqual(got, now) {
		t.Errorf("kept %+v; want what it was replaced by, %+v", got, now)
	}
}
