package store

import "github.com/cockroachdb/pebble/v2"

// Checkpoint makes a store in dir, which must not be there and lies on the same file
// system, that holds what this one holds now. It shares the files that never change
// by hard links, so it costs little space and time. Writes go on meanwhile. An error
// leaves what there is of dir, and the store as it was.
func (s *Store) Checkpoint(dir string) error {
	if err := s.usable(); err != nil {
		return err
	}
	var err error
	failed := s.failure.guard(func() error {
		defer func() {
			// Pebble panics where it cannot sync the checkpoint's folder. It
			// holds no lock then, and the store's own writes never fail to it.
			if r := recover(); r != nil {
				err = asError(r)
			}
		}()
		err = s.db.Checkpoint(dir, pebble.WithFlushedWAL())
		return nil
	})
	if failed != nil {
		return failed
	}
	return classify(err)
}
