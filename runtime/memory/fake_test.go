package memory_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/memory"
)

// shelf keeps entries in the order in which they were first put.
type shelf struct {
	mu        sync.Mutex
	entries   []fsm.Entry
	forgotten []string
	broken    error
	reads     int
	synced    int   // number of entries at the last sync
	full      error // why there is no space
}

func (s *shelf) PutEntry(e fsm.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.forgotten = slices.DeleteFunc(s.forgotten, func(id string) bool { return id == e.ID })
	for i := range s.entries {
		if s.entries[i].ID == e.ID {
			s.entries[i] = e
			return nil
		}
	}
	s.entries = append(s.entries, e)
	return nil
}

func (s *shelf) Entry(id string) (fsm.Entry, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		if e.ID == id {
			return e, true, s.broken
		}
	}
	return fsm.Entry{}, false, s.broken
}

func (s *shelf) ForgetEntries(ids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	s.entries = slices.DeleteFunc(s.entries, func(e fsm.Entry) bool { return slices.Contains(ids, e.ID) })
	s.forgotten = append(s.forgotten, ids...)
	return nil
}

func (s *shelf) Forgotten(id string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.forgotten, id), s.broken
}

func (s *shelf) SyncEntries() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced = len(s.entries)
	return s.broken
}

func (s *shelf) Space() error { return s.full }

func (s *shelf) Entries(fn func(fsm.Entry) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.broken != nil {
		return s.broken
	}
	for _, e := range s.entries {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// embedder has a fixed table of vectors for some texts.
type embedder struct {
	model   string
	vectors map[string][]byte
}

func (e *embedder) Embed(_ context.Context, text string) ([]byte, string, error) {
	v, ok := e.vectors[text]
	if !ok {
		return nil, "", errors.New("the model does not answer")
	}
	return v, e.model, nil
}

// vector returns the wire form of a vector.
func vector(of ...float32) []byte {
	var data []byte
	for _, f := range of {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data
}

// entry returns an entry with only a summary.
func entry(id string, at fsm.Millis, summary string) fsm.Entry {
	return fsm.Entry{ID: id, At: at, Summary: summary}
}

// open returns a memory that holds entries.
func open(t testing.TB, e memory.Embedder, entries ...fsm.Entry) *memory.Memory {
	t.Helper()
	m, err := memory.Open(&shelf{}, memory.Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, m, entries...)
	return m
}

func keep(t testing.TB, m *memory.Memory, entries ...fsm.Entry) {
	t.Helper()
	for _, e := range entries {
		must(t, m.Store(t.Context(), e))
	}
}

// wantRecall fails t unless a recall of need returns the entries with these ids.
func wantRecall(t testing.TB, m *memory.Memory, need string, topK int, ids ...string) {
	t.Helper()
	found, err := m.Recall(t.Context(), fsm.Recall{Need: need, TopK: topK})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.ID)
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		t.Errorf("recall of %q (-want +got):\n%s", need, diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
