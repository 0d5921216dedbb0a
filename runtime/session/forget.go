package session

import (
	"context"
	"encoding/json"
	"errors"
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

// ForgetAll forgets what was said in a session, durably: its history, its archive and the results
// that it keeps, and the texts and replies of its finished requests (SES-25). It returns how many
// messages its archive had, or false if nothing was left of it, not even a request that ended before its turn
// could be saved. A handle that has loaded the session
// finds it changed as it saves, and puts its turn into the empty one. If it returns both true and an
// error, they are forgotten, but perhaps still on the disk.
func (s *Sessions) ForgetAll(id string) (messages int, known bool, err error) {
	if _, err := s.Known(id); err != nil { // then nothing is forgotten
		return 0, false, err
	}
	// The requests go first: if the process ends in between, the session is still there to be forgotten.
	requests, clear, err := s.store.ForgetRequests(id)
	if err != nil {
		return 0, false, err
	}
	messages, also, err := s.empty(id)
	switch {
	case err != nil:
		return 0, false, err
	case also != nil:
		clear = both(also, clear)
	case requests == 0:
		return 0, false, nil
	}
	if err := clear(); err != nil { // without the lock: other sessions go on
		return messages, true, fmt.Errorf("remove session %q from the disk: %w", id, err)
	}
	return messages, true, nil
}

// both calls one function, and the other even if that fails.
func both(one, other func() error) func() error {
	return func() error { return errors.Join(one(), other()) }
}

// empty forgets a session, and returns what removes it from the disk; nil: nothing is left of it.
func (s *Sessions) empty(id string) (messages int, clear func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, err := s.Known(id); err != nil || !known {
		return 0, nil, err
	}
	body, err := s.store.Session(id)
	if err != nil {
		return 0, nil, err
	}
	var kept record
	if body != nil {
		if err := json.Unmarshal(body, &kept); err != nil {
			return 0, nil, fmt.Errorf("read session %q: %w", id, err)
		}
	}
	// The turns stay, so that one that was saved and is saved again after a crash is not kept
	// twice, and so do the version and the numbers of results, which never come again.
	nothing := record{Session: fsm.Session{Version: kept.Session.Version + 1, LastText: kept.Session.LastText}, Turns: kept.Turns}
	if body, err = nothing.append(nil); err != nil {
		return 0, nil, fmt.Errorf("encode session %q: %w", id, err)
	}
	if s.fresh != nil { // nil: see [Of]
		s.fresh.Drop(id)
	}
	return s.store.ForgetSession(id, body)
}

func (s *Sessions) drop(id string, upTo uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.DropArchived(id, upTo)
}
