package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"shelly/fsm"
)

// PutEntry writes a memory entry whole (MEM-1), in place of the one with its id
// (MEM-2). It does not wait for a sync: the next synced write makes it durable,
// and the machine puts one behind each entry before anybody can see it (see
// Durability).
func (s *Store) PutEntry(e fsm.Entry) error {
	if err := s.usable(); err != nil {
		return err
	}
	body, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode memory entry %q: %w", e.ID, err)
	}
	batch := s.db.NewBatch()
	if err := errors.Join(set(batch, entryKey(e.ID), body), batch.Delete(forgottenKey(e.ID), nil)); err != nil {
		return err
	}
	return s.commit(batch, false)
}

// SyncEntries returns when every entry that was put is durable.
func (s *Store) SyncEntries() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.commit(s.db.NewBatch(), true)
}

// Entry returns the memory entry with an id, or false.
func (s *Store) Entry(id string) (e fsm.Entry, ok bool, err error) {
	what := fmt.Sprintf("memory entry %q", id)
	body, err := s.get(entryKey(id), what)
	if err != nil || body == nil {
		return fsm.Entry{}, false, err
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return fsm.Entry{}, false, corrupt(what, err)
	}
	return e, true, nil
}

// ForgetEntries drops memory entries and remembers that they were, durably. When it
// returns, the tables on the disk hold nothing of them; a log of Pebble's may until it
// is used again (MEM-10).
func (s *Store) ForgetEntries(ids []string) error {
	if err := s.usable(); err != nil {
		return err
	}
	batch := s.db.NewBatch()
	for _, id := range ids {
		if err := errors.Join(batch.Delete(entryKey(id), nil), set(batch, forgottenKey(id), nil)); err != nil {
			return err
		}
	}
	if err := s.commit(batch, true); err != nil {
		return err
	}
	ctx := context.Background()
	return s.failure.guard(func() error {
		if len(ids) > compactedMax {
			return s.db.Compact(ctx, []byte{kindEntry}, []byte{kindEntry + 1}, false)
		}
		for _, id := range ids {
			if err := s.db.Compact(ctx, entryKey(id), append(entryKey(id), 0), false); err != nil {
				return err
			}
		}
		return nil
	})
}

// compactedMax is how many entries are compacted one by one; of more the tables of all
// are.
const compactedMax = 16

// Forgotten reports whether an entry was forgotten and not put since.
func (s *Store) Forgotten(id string) (bool, error) {
	body, err := s.get(forgottenKey(id), fmt.Sprintf("mark that entry %q was forgotten", id))
	return body != nil, err
}

// Entries calls fn for each memory entry in the order of ids, until fn returns
// an error. A damaged entry is an ErrCorrupt that names its id.
func (s *Store) Entries(fn func(fsm.Entry) error) error {
	return s.scan([]byte{kindEntry}, []byte{kindEntry + 1}, func(key, value []byte) error {
		what := fmt.Sprintf("memory entry %q", key[1:])
		body, err := unseal(key, value, what)
		if err != nil {
			return err
		}
		var e fsm.Entry
		if err := json.Unmarshal(body, &e); err != nil {
			return corrupt(what, err)
		}
		return fn(e)
	})
}
