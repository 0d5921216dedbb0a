package store

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Session returns what was put under a session's id, or nil where there is none.
func (s *Store) Session(id string) ([]byte, error) {
	return s.get(sessionKey(id), sessionName(id))
}

// PutSession puts body under a session's id and adds parts to the end of its
// archive, all of it or nothing. It does not wait for a sync: the next synced write
// makes it durable (see Durability). Of one session, one call at a time.
func (s *Store) PutSession(id string, body []byte, archived [][]byte) error {
	if err := s.usable(); err != nil {
		return err
	}
	last, err := s.lastArchived(id)
	if err != nil {
		return err
	}
	batch := s.db.NewBatch()
	if err := set(batch, sessionKey(id), body); err != nil {
		return err
	}
	for i, part := range archived {
		if err := set(batch, numbered(kindArchive, id, last+uint64(i)+1), part); err != nil {
			return err
		}
	}
	return s.commit(batch, false)
}

// lastArchived returns the number of the last part of a session's archive, or 0.
func (s *Store) lastArchived(id string) (last uint64, err error) {
	prefix := appendPart([]byte{kindArchive}, id)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: behind(prefix)})
	if err != nil {
		return 0, classify(err)
	}
	if it.Last() {
		last = numberOf(it.Key())
	}
	return last, classify(errors.Join(it.Error(), it.Close()))
}

// Sessions calls fn for each session in the order of ids, until fn returns an
// error. Body is valid until fn returns.
func (s *Store) Sessions(fn func(id string, body []byte) error) error {
	return s.scan([]byte{kindSession}, []byte{kindSession + 1}, func(key, value []byte) error {
		id := string(key[1:])
		body, err := unseal(key, value, sessionName(id))
		if err != nil {
			return err
		}
		return fn(id, body)
	})
}

// Archived calls fn for the first parts of a session's archive behind the given
// number, in order: at most limit and engine.ReadMax of them, and until fn returns
// an error. Part is valid until fn returns.
func (s *Store) Archived(id string, after uint64, limit int, fn func(number uint64, part []byte) error) error {
	return s.some(appendPart([]byte{kindArchive}, id), after, limit, func(key, value []byte) (bool, error) {
		number := numberOf(key)
		part, err := unseal(key, value, fmt.Sprintf("part %d of the archive of session %q", number, id))
		if err != nil {
			return false, err
		}
		return true, fn(number, part)
	})
}

func sessionName(id string) string { return fmt.Sprintf("session %q", id) }

func bigEndian(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
