package store

import (
	"encoding/json"
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
	if err := set(batch, entryKey(e.ID), body); err != nil {
		return err
	}
	return s.commit(batch, false)
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
