package store

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// OpenReadOnly opens the store in dir to be read: nothing of what it holds is changed,
// not even what a crash has left to be mended. Its lock is taken, so that nobody
// writes meanwhile. The error may be that of [Open], ErrOlderFormat, or wrap
// fs.ErrNotExist where there is no store.
func OpenReadOnly(dir string, o Options) (*Store, error) {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if _, err := o.FS.Stat(dir); err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s := &Store{
		dir: dir, fs: o.FS, reserve: o.ReserveBytes, ballast: newBallast(o.FS, dir, 0, o.Logger),
		failure: newFailure(dir, o.Logger), compact: newCompaction(), sweep: sweep{},
	}
	var err error
	if s.lock, err = lockFolder(s.fs, dir); err != nil {
		return nil, err
	}
	if err := s.failure.guard(s.openReadOnly); err != nil {
		return nil, errors.Join(err, s.lock.Close())
	}
	return s, nil
}

func (s *Store) openReadOnly() error {
	format, err := s.checkFormat()
	switch {
	case err != nil:
		return err
	case format == 0:
		return fmt.Errorf("%w: %s holds no store", fs.ErrNotExist, s.dir)
	case format < Format:
		return fmt.Errorf("%w: format %d, this shelly reads %d", ErrOlderFormat, format, Format)
	}
	o := s.options()
	o.ReadOnly = true
	if s.db, err = pebble.Open(s.dir, o); err != nil {
		return err
	}
	if s.name, err = s.readName(); err == nil {
		err = s.findEnds()
	}
	if err != nil {
		return errors.Join(err, s.db.Close())
	}
	return nil
}
