// Package newest finds the newest items of a list that the journal orders by position, such as
// calls or messages.
package newest

import "shelly/fsm/engine"

// firstLook is how many of the last steps are searched first.
const firstLook = 256

// Search describes a search.
type Search[T any] struct {
	Last  uint64 // the index of the last step
	Limit int    // at most this many, the newest; 0: all
	// Read returns the first items after a position, in order; none if there are no more.
	Read     func(after uint64) ([]T, error)
	Position func(T) uint64
	// Wanted reports whether an item matches, and whether it and all before it are too old;
	// nil: every item matches.
	Wanted func(T) (wanted, old bool)
}

// Find returns the matching items, the newest last. It looks further and further back from the
// last step, so that the newest few of many are found quickly.
func (s Search[T]) Find() ([]T, error) {
	for look := uint64(firstLook); ; look *= 8 {
		after := uint64(0)
		if look < s.Last && (s.Limit > 0 || s.Wanted != nil) {
			after = engine.PositionOf(s.Last-look, 0)
		}
		found, old, err := s.from(after)
		if err != nil {
			return nil, err
		}
		if after == 0 || old || s.Limit > 0 && len(found) >= s.Limit {
			if s.Limit > 0 {
				found = found[max(0, len(found)-s.Limit):]
			}
			return found, nil
		}
	}
}

// from returns the matching items after a position, and whether one was too old.
func (s Search[T]) from(after uint64) (found []T, old bool, err error) {
	found = []T{}
	for {
		page, err := s.Read(after)
		if err != nil || len(page) == 0 {
			return found, old, err
		}
		for _, one := range page {
			wanted, before := true, false
			if s.Wanted != nil {
				wanted, before = s.Wanted(one)
			}
			if old = old || before; wanted {
				found = append(found, one)
			}
		}
		after = s.Position(page[len(page)-1])
	}
}
