package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Compacted waits until what was trimmed is given to the disk, where that has begun.
func (s *Store) Compacted() { s.compact.running.Wait() }

// CompactTables compacts all tables, until that meets damage.
func (s *Store) CompactTables() error {
	err := s.db.Compact(s.compact.ctx, []byte{0}, []byte{0xff}, false)
	if s.compact.off() {
		return corrupt("the tables are not compacted", fmt.Sprint(err))
	}
	return err
}

// ForgetLengths leaves the texts as a shelly wrote them that kept no lengths.
func (s *Store) ForgetLengths() error {
	batch := s.db.NewBatch()
	err := s.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key, value []byte) error {
		body, err := unseal(key, value, "a text's time")
		if err != nil {
			return err
		}
		return set(batch, key, body[:timeBytes])
	})
	return errors.Join(err, s.db.Apply(batch, pebble.Sync))
}
