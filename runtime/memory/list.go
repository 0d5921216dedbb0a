package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Listed is what a list tells of an entry.
type Listed struct {
	ID         string     `json:"id"`
	Kind       fsm.Kind   `json:"kind"`
	Session    string     `json:"session,omitempty"`
	At         fsm.Millis `json:"at"`
	Summary    string     `json:"summary"`
	Model      string     `json:"model,omitempty"` // of its vector; empty: it is found by keyword only
	Dimensions int        `json:"dimensions,omitempty"`
}

// Counts tells how a memory is.
type Counts struct {
	Loading bool   `json:"loading,omitempty"` // its entries are being read; the rest is what was read so far
	Entries int    `json:"entries"`
	Vectors int    `json:"vectors"`         // those with a vector of Model
	Pending int    `json:"pending"`         // those without, which upkeep will give one (MEM-8)
	Model   string `json:"model,omitempty"` // the embedding model at hand
	Apart   bool   `json:"apart,omitempty"` // the server is not known to keep it loaded beside the chat model (MEM-11)
}

// List returns at most limit of the wanted entries, the newest first, after this many
// of them, and how many are wanted altogether.
func (m *Memory) List(ctx context.Context, f Filter, behind, limit int) ([]Listed, int, error) {
	if err := m.Wait(ctx); err != nil {
		return nil, 0, err
	}
	list := m.wantedSlots(f)
	slices.SortFunc(list, func(a, b slot) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(a.id, b.id)) })
	from := min(max(0, behind), len(list))
	to := min(from+max(0, limit), len(list))
	var listed []Listed
	for _, s := range list[from:to] {
		l := Listed{ID: s.id, Kind: fsm.Kind(s.about.Kind), Session: s.about.Session, At: s.at}
		e, _, err := m.entries.Entry(s.id)
		if err != nil && !errors.Is(err, engine.ErrDamaged) { // of what is damaged the rest is known
			return nil, 0, err
		}
		of := spaceOf(e)
		l.Summary, l.Model, l.Dimensions = e.Summary, of.model, of.dimensions
		listed = append(listed, l)
	}
	return listed, len(list), nil
}

// wantedSlots are the slots that a filter wants, in no order.
func (m *Memory) wantedSlots(f Filter) (list []slot) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for i := range m.slots {
		if s := &m.slots[i]; f.wants(s) {
			list = append(list, *s)
		}
	}
	return list
}

// Get returns the entry with an id, whole, or false.
func (m *Memory) Get(ctx context.Context, id string) (fsm.Entry, bool, error) {
	if err := m.Wait(ctx); err != nil {
		return fsm.Entry{}, false, err
	}
	return m.entries.Entry(id)
}

// Counts returns how the memory is. It does not wait.
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
	if m.o.Embedder != nil {
		c.Pending, c.Apart = c.Entries-c.Vectors, m.apart()
	}
	return c
}
