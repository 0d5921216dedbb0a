package memory

import (
	"context"
	"fmt"
	"sync"

	"shelly/fsm"
	"shelly/runtime/failpoint"
)

// Entries keeps the entries. Both methods may be called concurrently.
type Entries interface {
	// PutEntry writes an entry whole, in place of the one with its id.
	PutEntry(e fsm.Entry) error
	// Entries calls fn for each entry until it returns an error.
	Entries(fn func(fsm.Entry) error) error
}

// Embedder turns a text into a vector: float32, little-endian, and the name of
// the model that made it.
type Embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Memory is the entries and their index. It is safe for concurrent use.
type Memory struct {
	entries  Entries
	embedder Embedder

	writing sync.Mutex // held over a write and its indexing, so that both have one order

	mu       sync.RWMutex // guards the index, below
	slots    []slot
	byID     map[string]int
	keywords keywords
	vectors  vectors
}

// slot is what is kept of an entry besides its index. An entry keeps its slot for
// good.
type slot struct {
	id      string
	at      fsm.Millis
	summary string
	session string
}

// Open reads every entry and returns the memory over them. A nil embedder makes
// recall go by keyword alone.
func Open(s Entries, e Embedder) (*Memory, error) {
	m := &Memory{entries: s, embedder: e, byID: map[string]int{}, keywords: newKeywords()}
	var newest fsm.Entry // of those with a vector
	err := s.Entries(func(e fsm.Entry) error {
		m.index(e)
		if spaceOf(e) != (space{}) && (spaceOf(newest) == (space{}) || e.At > newest.At) {
			newest = e
		}
		return nil
	})
	if err == nil {
		err = m.use(spaceOf(newest))
	}
	if err != nil {
		return nil, fmt.Errorf("read the memory entries: %w", err)
	}
	return m, nil
}

// Store writes an entry whole (MEM-1) and makes it found. An entry with the id of
// another replaces it (MEM-2). On an error nothing has changed.
func (m *Memory) Store(ctx context.Context, e fsm.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := m.entries.PutEntry(e); err != nil {
		return err
	}
	failpoint.Hit(failpoint.EntryPut)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index(e)
	return nil
}

// index takes an entry in, or its new form.
func (m *Memory) index(e fsm.Entry) {
	at, known := m.byID[e.ID]
	if known {
		m.keywords.remove(at)
		m.vectors.remove(at)
	} else {
		at = len(m.slots)
		m.byID[e.ID] = at
		m.slots = append(m.slots, slot{})
	}
	m.slots[at] = slot{id: e.ID, at: e.At, summary: e.Summary, session: e.Session}
	m.keywords.put(at, terms(e.Summary+"\n"+e.Text, indexed))
	if m.vectors.space == (space{}) {
		m.vectors.space = spaceOf(e)
	}
	m.vectors.put(at, e)
}

// use makes s the space of the vectors at hand. The zero space changes nothing.
func (m *Memory) use(s space) error {
	m.mu.RLock()
	same := m.vectors.space == s
	m.mu.RUnlock()
	if same || s == (space{}) {
		return nil
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	other := vectors{space: s}
	err := m.entries.Entries(func(e fsm.Entry) error {
		if at, ok := m.byID[e.ID]; ok {
			other.put(at, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vectors = other
	return nil
}

// Recall returns at most e.TopK entries that meet a need, of all sessions or of its own, the best first, and none
// where memory holds nothing about it (MEM-3). A need that cannot be embedded is
// looked up by keyword alone (MEM-4); only entries that cannot be read are an
// error.
func (m *Memory) Recall(ctx context.Context, e fsm.Recall) ([]fsm.Memory, error) {
	if e.TopK < 1 {
		return nil, nil
	}
	query, of := m.embed(ctx, e.Need)
	if err := m.use(of); err != nil {
		return nil, fmt.Errorf("read the vectors of model %q: %w", of.model, err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	depth := max(e.TopK, fusionDepth)
	byKeyword := m.ranking(depth)
	m.keywords.search(terms(e.Need, asked), m.within(e, byKeyword))
	byVector := m.ranking(depth)
	if of != (space{}) && of == m.vectors.space {
		m.vectors.search(query, m.ofSession(e), byVector.add)
	}
	found := fuse(m.ranking(e.TopK), byKeyword.hits, byVector.hits)
	var memories []fsm.Memory
	for _, h := range found {
		s := m.slots[h.slot]
		memories = append(memories, fsm.Memory{ID: s.id, Summary: s.summary})
	}
	return memories, nil
}

// ofSession is which entries are wanted: nil for every one, or those of one session
// (MEM-6).
func (m *Memory) ofSession(e fsm.Recall) func(slot int) bool {
	if !e.Own {
		return nil
	}
	return func(slot int) bool { return m.slots[slot].session == e.Session }
}

// within is what takes a hit into a ranking, if its entry is wanted.
func (m *Memory) within(e fsm.Recall, r *ranking) func(hit) {
	wanted := m.ofSession(e)
	if wanted == nil {
		return r.add
	}
	return func(h hit) {
		if wanted(h.slot) {
			r.add(h)
		}
	}
}

// embed returns the need's unit vector and its space, or the zero space where
// there is none.
func (m *Memory) embed(ctx context.Context, need string) ([]float32, space) {
	if m.embedder == nil {
		return nil, space{}
	}
	data, model, err := m.embedder.Embed(ctx, need)
	if err != nil {
		return nil, space{}
	}
	v, ok := unit(data)
	if !ok {
		return nil, space{}
	}
	return v, space{model: model, dimensions: len(v)}
}
