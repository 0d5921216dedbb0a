package memory

import (
	"context"
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Listed is what a list shows of an entry.
type Listed struct {
	ID         string     `json:"id"`
	Kind       fsm.Kind   `json:"kind"`
	Session    string     `json:"session,omitempty"`
	At         fsm.Millis `json:"at"`
	Summary    string     `json:"summary"`
	Model      string     `json:"model,omitempty"` // of its vector; empty: found by keyword only
	Dimensions int        `json:"dimensions,omitempty"`
}

// Counts is the status of a memory (MEM-8).
type Counts struct {
	Loading bool   `json:"loading,omitempty"` // its entries are being read; the other fields count what was read so far
	Entries int    `json:"entries"`
	Vectors int    `json:"vectors"`         // those with a vector of Model
	Pending int    `json:"pending"`         // entries to which upkeep has yet to give one (MEM-8); 0 while no embedding model is chosen
	Model   string `json:"model,omitempty"` // the embedding model in use
	Apart   bool   `json:"apart,omitempty"` // the server may not keep it loaded beside the chat model (MEM-11)
}

// SummaryBytesMax is the most bytes of summaries that one list, or one search, returns; the first one
// may be longer.
const SummaryBytesMax = 4 << 20

// summaries counts the bytes of summaries.
type summaries int

// take adds a summary, and reports whether it may still be returned.
func (s *summaries) take(text string) bool {
	first := *s == 0
	*s += summaries(len(text))
	return first || *s <= SummaryBytesMax
}

// List returns at most limit of the entries that f wants, newest first, after skipping the first
// skip, and the total number that f wants. It returns fewer if their summaries are very long
// ([SummaryBytesMax]).
func (m *Memory) List(ctx context.Context, f Filter, skip, limit int) ([]Listed, int, error) {
	if err := m.Wait(ctx); err != nil {
		return nil, 0, err
	}
	page, n := m.page(f, max(0, skip), max(0, limit))
	there, bytes := page[:0], summaries(0)
	for _, l := range page {
		e, ok, err := m.entries.Entry(l.ID)
		switch {
		case err != nil && !errors.Is(err, engine.ErrDamaged): // a damaged entry is listed with what the index knows
			return nil, 0, err
		case err == nil && !ok: // it was forgotten just now
			n--
			continue
		}
		if !bytes.take(e.Summary) {
			return there, n, nil
		}
		of := spaceOf(e)
		l.Summary, l.Model, l.Dimensions = e.Summary, of.model, of.dimensions
		there = append(there, l)
	}
	return there, n, nil
}

// rankedMax is the last place up to which the newest entries are found by keeping the best seen so
// far; beyond it all are sorted.
const rankedMax = 4096

// page returns what is in memory of the wanted entries after the first from, newest first, and how
// many are wanted in all.
func (m *Memory) page(f Filter, from, limit int) (page []Listed, n int) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	r := m.ranking(len(m.slots) + 1)
	if to := from + limit; to < rankedMax {
		r.max = max(1, to)
	}
	for at := len(m.slots) - 1; at >= 0; at-- { // the last ones are mostly the newest
		if !m.wants(f, at) {
			continue
		}
		if n++; r.max <= rankedMax {
			r.add(hit{slot: at})
		} else {
			r.hits = append(r.hits, hit{slot: at})
		}
	}
	if r.max > rankedMax {
		slices.SortFunc(r.hits, r.compare)
	}
	for _, h := range r.hits[min(from, len(r.hits)):min(from+limit, len(r.hits))] {
		s := &m.slots[h.slot]
		about := m.shared.About(s.about)
		page = append(page, Listed{ID: string(m.nameOf(s)), Kind: fsm.Kind(about.Kind), Session: about.Session, At: s.at})
	}
	return page, n
}

// Get returns the whole entry with an id, or false. It does not wait, as no index is needed.
func (m *Memory) Get(ctx context.Context, id string) (fsm.Entry, bool, error) {
	if err := ctx.Err(); err != nil {
		return fsm.Entry{}, false, err
	}
	return m.entries.Entry(id)
}

// Counts returns the state of the memory. It does not wait.
func (m *Memory) Counts() Counts {
	c := Counts{}
	select {
	case <-m.ready:
	default:
		c.Loading = true
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	c.Entries, c.Vectors, c.Model = m.keywords.count, m.vectors.count(), m.vectors.space.model
	if m.o.Embedder == nil {
		return c
	}
	c.Apart = m.apart()
	if m.o.Embeds == nil || m.o.Embeds() {
		c.Pending = c.Entries - c.Vectors
	}
	return c
}
