package store

import (
	"errors"
	"fmt"

	"shelly/runtime/store/copies"
	"shelly/runtime/store/text"
)

// OpenReadOnly opens the store in dir for reading. It makes, changes and removes nothing there, not
// even what a crash left to be cleaned up, so a folder that cannot be written to can be read too.
// While it is open no other process writes; others may read. The error may be one of those of
// [Open], ErrOlderFormat or, in a folder without a store, ErrNone.
func OpenReadOnly(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	if _, err := o.FS.Stat(dir); err != nil {
		return nil, fmt.Errorf("open the store: %w", err)
	}
	s := &Store{
		latest: newLatest(), codec: text.NewCodec(),
		dir: dir, fs: o.FS, reserve: o.ReserveBytes, ballast: newBallast(o.FS, dir, 0, o.Logger),
		failure: newFailure(dir, o.Logger, nil), compact: newCompaction(), sweep: sweep{}, still: true,
		vectors: copies.New(o.FS, o.FS.PathJoin(dir, vectorsName), false),
	}
	var err error
	if s.lock, err = shareFolder(s.fs, dir); err != nil {
		return nil, err
	}
	there, err := survey(s.fs, dir)
	if err == nil && !there {
		err = fmt.Errorf("%w: %s", ErrNone, dir)
	}
	if err == nil {
		if s.anchor, err = readAnchor(s.fs, dir); errors.Is(err, ErrCorrupt) {
			err = nil // Examine reports it
		}
	}
	if err == nil {
		err = s.failure.guard(s.openReadOnly)
	}
	if err != nil {
		return nil, errors.Join(err, s.lock.Close())
	}
	return s, nil
}

func (s *Store) openReadOnly() (err error) {
	s.whole = s.asClosed()
	if s.db, err = s.look(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.db.Close())
		}
	}()
	format, err := s.formatOf(s.db)
	switch {
	case err != nil:
		return err
	case format == 0:
		return ErrNone
	case format < alike:
		return fmt.Errorf("%w: format %d, this shelly reads %d", ErrOlderFormat, format, Format)
	}
	return s.readHead()
}
