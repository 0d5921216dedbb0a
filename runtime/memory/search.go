package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory/index"
)

// Mode says which orders a search uses.
type Mode string

// Both orders fused, or one of them alone.
const (
	Hybrid  Mode = "hybrid"
	Keyword Mode = "keyword"
	Vector  Mode = "vector"
)

// Query is what to search for, and among which entries.
type Query struct {
	Text   string
	TopK   int
	Mode   Mode // "": Hybrid
	Filter Filter
	// Spare limits the search to keywords while an embedding may make the server unload the chat
	// model (MEM-11).
	Spare bool
}

// Filter says which entries are wanted. The zero Filter wants all.
type Filter struct {
	OfSession bool // only those of Session (MEM-6)
	Session   string
	Kind      fsm.Kind   // "": any kind
	Since     fsm.Millis // made at or after it
	Before    fsm.Millis // made before it; 0: no bound
}

func (f Filter) wants(s *slot, about *index.About) bool {
	return (!f.OfSession || about.Session == f.Session) && (f.Kind == "" || about.Kind == string(f.Kind)) && s.at >= f.Since &&
		(f.Before == 0 || s.at < f.Before)
}

// wants reports whether a slot has an entry that f wants.
func (m *Memory) wants(f Filter, at int) bool {
	s := &m.slots[at]
	return !s.gone && f.wants(s, m.shared.About(s.about))
}

// Result is what a search found, best first.
type Result struct {
	Found []Found `json:"found"`
	Model string  `json:"model,omitempty"` // the model that made the need's vector
	// Keywords says why there was no order by vector, if there was none.
	Keywords string `json:"keywords_only,omitempty"`
}

// Found is an entry that was found, and why. Score is the sum of 1/(60 + rank) over the orders that
// it is in, times Age.
type Found struct {
	ID      string        `json:"id"`
	Kind    fsm.Kind      `json:"kind"`
	Session string        `json:"session,omitempty"`
	At      fsm.Millis    `json:"at"`
	Summary string        `json:"summary"`
	Score   float64       `json:"score"`
	Keyword *KeywordPlace `json:"keyword,omitempty"` // nil: it shares no keyword with the need
	Vector  *VectorPlace  `json:"vector,omitempty"`  // nil: its cosine is below MinCosine, or it has no vector
	Age     float64       `json:"age"`               // the factor of its age in Score, 1 without a half-life (MEM-9)
	Source  fsm.Source    `json:"source,omitzero"`   // where its text came from (MSG-2)
	Pending bool          `json:"pending,omitempty"` // it has no vector of the need's model yet (MEM-8)
}

// KeywordPlace is an entry's place in the order by keyword.
type KeywordPlace struct {
	Rank  int      `json:"rank"`  // from 1
	Score float64  `json:"score"` // BM25
	Terms []string `json:"terms"` // the need's keywords that it has
}

// VectorPlace is an entry's place in the order by vector.
type VectorPlace struct {
	Rank   int     `json:"rank"` // from 1
	Cosine float64 `json:"cosine"`
}

// Recall returns at most e.TopK entries that meet a need, from all sessions or only the need's own,
// best first, and none if memory holds nothing about it (MEM-3). A need that cannot be embedded is
// looked up by keyword alone (MEM-4); only a failure to read entries is an error.
func (m *Memory) Recall(ctx context.Context, e fsm.Recall) ([]fsm.Memory, error) {
	r, err := m.Search(ctx, Query{Text: e.Need, TopK: e.TopK, Filter: Filter{OfSession: e.Own, Session: e.Session}, Spare: e.Spare})
	if err != nil {
		return nil, err
	}
	var memories []fsm.Memory
	for _, f := range r.Found {
		memories = append(memories, fsm.Memory{ID: f.ID, Summary: f.Summary, Source: f.Source})
	}
	return memories, nil
}

// apart reports whether an embedding may make the server unload the chat model.
func (m *Memory) apart() bool { return m.o.Apart != nil && m.o.Apart() }

// Search is Recall that gives its reasons. It returns fewer entries if their summaries are very long
// ([SummaryBytesMax]).
func (m *Memory) Search(ctx context.Context, q Query) (Result, error) {
	if q.TopK < 1 {
		return Result{}, nil
	}
	if err := m.Wait(ctx); err != nil {
		return Result{}, err
	}
	var need []float32
	var of space
	r := Result{Found: []Found{}} // in JSON a list, even if nothing is found
	switch {
	case q.Spare && m.apart():
		q.Mode, r.Keywords = Keyword, "an embedding may make the server unload the chat model"
	case q.Mode != Keyword:
		var err error
		if need, of, r.Keywords, err = m.need(ctx, q.Text); err != nil {
			return Result{}, err
		}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if of != (space{}) && of != m.vectors.space {
		of, r.Keywords = space{}, "another embedding model was taken into use during the search"
	}
	r.Model = of.model
	o := orders{terms: slices.Compact(slices.Sorted(slices.Values(terms(q.Text, asked)))), depth: max(q.TopK, fusionDepth), wanted: m.wanted(q.Filter), space: of}
	if err := o.search(m, q.Mode, need); err != nil {
		return Result{}, err
	}
	if o.unread != "" {
		r.Model, r.Keywords = "", o.unread
	}
	bytes := summaries(0)
	for _, h := range fuse(m.ranking(q.TopK), m.age(), o.keyword, o.vector) {
		f, ok, err := m.found(h, &o)
		if err != nil {
			return Result{}, err
		}
		if ok && !bytes.take(f.Summary) {
			break
		}
		if ok {
			r.Found = append(r.Found, f)
		}
	}
	if len(r.Found) == 0 && o.lost != nil { // who would take nothing for all there is
		return Result{}, o.lost
	}
	return r, nil
}

// wanted returns which slots a search may find; nil: all.
func (m *Memory) wanted(f Filter) func(slot int) bool {
	if f == (Filter{}) {
		return nil // forgotten entries are in no index
	}
	return func(slot int) bool { return m.wants(f, slot) }
}

// orders holds the two orders of one search.
type orders struct {
	terms           []string // in order, each once
	depth           int
	wanted          func(slot int) bool
	space           space // of the need's vector and of those in use; zero: there is no vector
	keyword, vector []hit
	matches         matches // of the keywords
	unread          string  // why vectors were not compared; "": they were, or there was none to compare with
	lost            error   // of keywords that a damaged part of the index has; nil: there is none
}

func (o *orders) search(m *Memory, mode Mode, need []float32) (err error) {
	if mode != Vector {
		r := m.ranking(o.depth)
		o.matches, err = m.keywords.search(o.terms, func(h hit) {
			if o.wanted == nil || o.wanted(h.slot) {
				r.add(h)
			}
		})
		if errors.Is(err, engine.ErrDamaged) {
			o.lost, err = err, nil
		}
		if err != nil {
			return err
		}
		o.keyword = r.hits
	}
	if o.space != (space{}) {
		r := m.ranking(o.depth)
		switch err := m.vectors.search(need, o.wanted, r.add); {
		case errors.Is(err, engine.ErrDamaged): // then as without a vector (JRN-30)
			o.space, o.unread = space{}, fmt.Sprintf("the vectors cannot be read: %v", err)
		case err != nil:
			return fmt.Errorf("read the vectors: %w", err)
		default:
			o.vector = r.hits
		}
	}
	return nil
}

// age returns the factor of an entry's age in its score, or nil if age does not count (MEM-9).
func (m *Memory) age() func(slot int) float64 {
	if m.o.HalfLife <= 0 {
		return nil
	}
	now := m.o.Now()
	return func(slot int) float64 {
		return math.Exp2(-float64(max(0, now-m.slots[slot].at)) / float64(m.o.HalfLife))
	}
}

// found explains a hit. It returns false if the entry cannot be read (JRN-30) or is being
// forgotten.
func (m *Memory) found(h hit, o *orders) (Found, bool, error) {
	s := m.slots[h.slot]
	id := string(m.nameOf(&s))
	e, ok, err := m.entries.Entry(id)
	if err != nil && !errors.Is(err, engine.ErrDamaged) {
		return Found{}, false, err
	}
	if err != nil || !ok {
		return Found{}, false, nil
	}
	f := Found{ID: id, Kind: e.Kind, Session: e.Session, At: s.at, Summary: e.Summary, Source: e.Source, Score: h.score, Age: 1}
	if age := m.age(); age != nil {
		f.Age = age(h.slot)
	}
	f.Pending = o.space != (space{}) && spaceOf(e) != o.space
	same := func(o hit) bool { return o.slot == h.slot }
	if i := slices.IndexFunc(o.keyword, same); i >= 0 {
		f.Keyword = &KeywordPlace{Rank: i + 1, Score: o.keyword[i].score, Terms: o.matches.shared(h.slot, o.terms)}
	}
	if i := slices.IndexFunc(o.vector, same); i >= 0 {
		f.Vector = &VectorPlace{Rank: i + 1, Cosine: o.vector[i].score}
	}
	return f, true, nil
}

// need returns the unit vector of a need and its space, which it takes into use, or the zero space
// and why vectors are not compared.
func (m *Memory) need(ctx context.Context, text string) ([]float32, space, string, error) {
	before := m.inUse()
	v, of, why := m.embed(ctx, text)
	switch err := m.use(of, before); {
	case errors.Is(err, errOthersStay):
		return nil, space{}, err.Error(), nil
	case err != nil:
		return nil, space{}, "", fmt.Errorf("read the vectors of model %q: %w", of.model, err)
	}
	return v, of, why, nil
}

// embed returns the need's unit vector and its space, or the zero space and why there is none.
func (m *Memory) embed(ctx context.Context, need string) ([]float32, space, string) {
	if m.o.Embedder == nil {
		return nil, space{}, "there is no embedding model"
	}
	data, model, err := m.o.Embedder.Embed(ctx, need)
	if err != nil {
		return nil, space{}, err.Error()
	}
	v, ok := unit(data)
	if !ok {
		return nil, space{}, fmt.Sprintf("model %q made a vector without a direction", model)
	}
	return v, space{model: model, dimensions: len(v)}, ""
}
