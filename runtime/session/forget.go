package session

import (
	"context"
	"fmt"

	"shelly/fsm"
)

// forgetParts is how many parts of an archive are read at once.
const forgetParts = 256

// Forget drops from each archive, beginning with the oldest part, what was archived before since,
// and returns how many parts that were (SES-19). The history that a session keeps is not affected.
// A part without a time, or with one after now, is dropped if the next part with another time is. If
// ctx ends, what was dropped before stays dropped. An archive that cannot be read does not keep the others
// from being shortened.
func (s *Sessions) Forget(ctx context.Context, since, now fsm.Millis) (dropped int, err error) {
	var ids []string
	if err := s.store.Archives(func(id string) error { ids = append(ids, id); return nil }); err != nil {
		return 0, fmt.Errorf("list the archives: %w", err)
	}
	for _, id := range ids {
		first, last, failed := s.old(ctx, id, since, now)
		if failed == nil && last > 0 {
			failed = s.drop(id, last)
		}
		switch {
		case ctx.Err() != nil:
			return dropped, ctx.Err()
		case failed != nil && err == nil: // the first says enough
			err = fmt.Errorf("shorten the archive of session %q: %w", id, failed)
		case failed == nil && last > 0:
			dropped += int(last - first + 1)
		}
	}
	return dropped, err
}

// old returns the numbers of the first part of an archive and of the last part to drop, 0 if there
// is none.
func (s *Sessions) old(ctx context.Context, id string, since, now fsm.Millis) (first, last uint64, err error) {
	limit := 1 // the first part is enough if nothing is old
	for after := uint64(0); ; limit = forgetParts {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		parts, err := s.Archive(id, after, limit)
		if err != nil {
			return 0, 0, err
		}
		for _, p := range parts {
			if p.At >= since && p.At <= now {
				return first, last, nil
			}
			after = p.Number
			if first == 0 {
				first = p.Number
			}
			if 0 < p.At && p.At < since {
				last = p.Number
			}
		}
		if len(parts) < limit {
			return first, last, nil
		}
	}
}

func (s *Sessions) drop(id string, upTo uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.DropArchived(id, upTo)
}
