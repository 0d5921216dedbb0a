// Package newest finds the newest of what the journal has by position: calls, messages.
package newest

import "shelly/fsm/engine"

// firstLook is how many steps from the last one are looked at first.
const firstLook = 256

// Search says what to look for.
type Search[T any] struct {
	Last  uint64 // the index of the last step
	Limit int    // at most this many, the newest; 0: all
	// Read returns the first after a position, in order; none means that there are no more.
	Read     func(after uint64) ([]T, error)
	Position func(T) uint64
	// Wanted reports whether one is looked for, and whether all before it are too old; nil:
	// all are wanted.
	Wanted func(T) (wanted, old bool)
}

// Find returns them, the newest last. It looks at more and more of the steps before the last
// one, so that a few of many are found soon.
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

// from returns those after a position that are wanted, and whether there was one too old.
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
