package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/runtime/store/table"
)

// PutEntry writes a memory entry whole (MEM-1), in place of the one with its id
// (MEM-2). It does not wait for a sync: the next synced write makes it durable,
// and the machine puts one after each entry before anybody can see it (see
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
	return s.compactEntries(ids)
}

// compactEntries takes what was forgotten from the tables.
func (s *Store) compactEntries(ids []string) error {
	ctx := s.compact.ctx // ends where a table cannot be read: then no compaction comes
	var err error        // of reading: a write that fails does not return
	failed := s.failure.guard(func() error {
		if len(ids) > compactedMax {
			err = s.db.Compact(ctx, []byte{kindEntry}, []byte{kindEntry + 1}, false)
			return nil
		}
		for _, id := range ids {
			err = errors.Join(err, s.db.Compact(ctx, entryKey(id), append(entryKey(id), 0), false))
		}
		return nil
	})
	if failed == nil && err != nil {
		return corrupt("what was forgotten is gone from the memory, but not from a table that cannot be read", classify(err))
	}
	return failed
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
// an error. A damaged entry is an ErrCorrupt that names its id, which [Options].Damaged may
// hear instead.
func (s *Store) Entries(fn func(fsm.Entry) error) error {
	from, to := []byte{kindEntry}, []byte{kindEntry + 1}
	each := func(key, value []byte) error {
		from = append(bytes.Clone(key), 0)
		e, err := decode[fsm.Entry](key, value, fmt.Sprintf("memory entry %q", key[1:]))
		if err != nil {
			return s.pass(err)
		}
		return fn(e)
	}
	err := s.scan(from, to, each)
	if s.damaged == nil || !unreadable(err) {
		return err
	}
	var x Examination
	spans, failed := s.damagedBlocks(context.Background(), from, to, &x)
	if failed != nil {
		return errors.Join(err, failed)
	}
	for _, span := range spans {
		s.damaged(corrupt(strings.Join(x.Damage, ", "), strings.Join(held(span), ", ")))
	}
	for _, gap := range table.Gaps(spans, from, to) {
		var stop error
		err := s.around(context.Background(), gap, func(key, value []byte) {
			if stop == nil {
				stop = each(key, value)
			}
		})
		if err := cmp.Or(stop, err); err != nil {
			return err
		}
	}
	return nil
}

// pass tells of damage that is passed over, or returns it where nobody hears.
func (s *Store) pass(err error) error {
	if s.damaged == nil {
		return err
	}
	s.damaged(err)
	return nil
}
