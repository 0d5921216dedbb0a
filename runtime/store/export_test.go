package store

import "fmt"

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
