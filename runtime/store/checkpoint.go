package store

import "github.com/cockroachdb/pebble/v2"

// Checkpoint makes a store in dir with what this one holds now. Dir must not exist and must be on
// the same file system: the files that never change are shared by hard links, so a checkpoint costs
// little space and time. Writes may go on during the call. After an error dir may be incomplete,
// and this store is as it was.
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
