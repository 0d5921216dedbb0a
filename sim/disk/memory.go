package disk

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"shelly/fsm"
)

// Memory is the simulated store of entries. Like the journal, it loses in a
// crash what was not synced.
type Memory struct {
	Entries []fsm.Entry // in the order of storing
	synced  []fsm.Entry // shares what has not changed since
}

// Put stores an entry, or replaces the one with its id.
func (m *Memory) Put(e fsm.Entry) {
	if i := slices.IndexFunc(m.Entries, func(o fsm.Entry) bool { return o.ID == e.ID }); i >= 0 {
		m.Entries = slices.Clone(m.Entries) // what is synced stays
		m.Entries[i] = e
		return
	}
	m.Entries = append(m.Entries, e)
}

// NewMemory returns a store with entries that a crash leaves.
func NewMemory(entries []fsm.Entry) Memory {
	m := Memory{Entries: slices.Clone(entries)}
	m.Sync()
	return m
}

// Sync makes what is stored last through a crash.
func (m *Memory) Sync() { m.synced = slices.Clip(m.Entries) }

// Crash loses what is not synced.
func (m *Memory) Crash() { m.Entries = m.synced }

// Recall finds entries that share words with the need: more shared words first,
// then the newer, then by id. Where it is asked for, only those of the session.
func (m *Memory) Recall(e fsm.Recall) []fsm.Memory {
	type hit struct {
		entry fsm.Entry
		score int
	}
	wanted := words(e.Need)
	var hits []hit
	for _, entry := range m.Entries {
		if e.Own && entry.Session != e.Session {
			continue
		}
		score := 0
		have := words(entry.Summary + " " + entry.Text)
		for _, w := range wanted {
			if _, has := slices.BinarySearch(have, w); has {
				score++
			}
		}
		if score > 0 {
			hits = append(hits, hit{entry, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry.At, a.entry.At), cmp.Compare(a.entry.ID, b.entry.ID))
	})
	var found []fsm.Memory
	for _, h := range hits[:min(e.TopK, len(hits))] {
		found = append(found, fsm.Memory{ID: h.entry.ID, Summary: h.entry.Summary, Source: h.entry.Source})
	}
	return found
}

// words returns the sorted, distinct, lower-case words of a text; a Han
// character is a word.
func words(text string) []string {
	var list []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		rest := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Han, r) {
				list = append(list, string(r))
				return -1
			}
			return r
		}, w)
		if rest != "" {
			list = append(list, rest)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// EmbeddingModel is the name of the simulated embedding model.
const EmbeddingModel = "sim-embed"

const embeddingWords = 64

// Vector is the simulated embedding: one float32 for each of 64 buckets of
// words, 1 where the text has a word in it and 0 where not, so that it needs no
// arithmetic on floats. The bytes are little-endian.
func Vector(text string) []byte {
	const one = 0x3f800000 // float32(1)
	vector := make([]byte, 4*embeddingWords)
	for _, w := range words(text) {
		var h uint64 = 14695981039346656037
		for i := 0; i < len(w); i++ {
			h = (h ^ uint64(w[i])) * 1099511628211
		}
		bucket := 4 * (bits.RotateLeft64(h, 17) % embeddingWords)
		vector[bucket+2], vector[bucket+3] = one>>16&0xff, one>>24
	}
	return vector
}
