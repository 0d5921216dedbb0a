package store

import (
	"slices"
	"sync"

	"shelly/runtime/store/files"
)

// metMax is how many places of damage are kept.
const metMax = 16

// places is the damage that was met since the store was opened.
type places struct {
	mu  sync.Mutex
	all []string
}

// note keeps what an error tells of damage.
func (m *places) note(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if place := files.Explain(err); len(m.all) < metMax && !slices.Contains(m.all, place) {
		m.all = append(m.all, place)
	}
}

// Damage returns where damage was met since the store was opened, at most 16 places, in
// words (JRN-30).
func (s *Store) Damage() []string {
	s.damage.mu.Lock()
	defer s.damage.mu.Unlock()
	return slices.Clone(s.damage.all)
}
