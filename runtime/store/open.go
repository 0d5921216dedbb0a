package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/descriptor"
	"shelly/runtime/store/copies"
	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
	"shelly/runtime/store/text"
)

// Open opens the store in dir, and makes dir and the store where they are missing. The folder is
// made for its owner alone (0700). The error may be ErrLocked, ErrNewerFormat, ErrCorrupt or
// engine.ErrNoSpace, and names dir.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	disk := &locked{FS: o.FS, dir: dir, lock: vfs.InvalidFd}
	b := newBallast(disk, dir, o.BallastBytes, o.Logger)
	s := &Store{
		latest: newLatest(), refers: newRefers(), codec: text.NewCodec(),
		dir: dir, fs: b.under(), reserve: o.ReserveBytes, ballast: b,
		failure: newFailure(dir, o.Logger, disk), compact: newCompaction(), sweep: sweep{}, damaged: o.Damaged, admits: o.Admits, turn: make(chan struct{}, 1),
		vectors: copies.New(disk, disk.PathJoin(dir, vectorsName), true), // no write to it is worth the ballast
	}
	var err error
	if s.lock, err = acquire(s.fs, dir); err != nil {
		return nil, err
	}
	disk.lock = s.lock.folder
	there, err := survey(s.fs, dir)
	if err == nil {
		if s.anchor, err = readAnchor(s.fs, dir); errors.Is(err, ErrCorrupt) {
			o.Logger.Error("it is not known how much of the journal was durable: the anchor is damaged and is written again", "error", err)
			err = nil
		}
	}
	if err == nil {
		err = s.failure.guard(func() error { return s.open(there) })
	}
	if err != nil {
		// Pebble holds the lock too: where it is stuck, the folder stays locked until the process
		// ends.
		return nil, errors.Join(err, s.lock.Close())
	}
	return s, nil
}

// open checks the format of an existing store, or makes one, opens the database and finds the end
// of the journal.
func (s *Store) open(there bool) (err error) {
	format := uint32(0)
	switch s.whole = there && s.asClosed(); {
	case s.whole:
		format, err = Format, s.checkClosed()
	case there:
		format, err = s.checkFormat()
	}
	if err != nil {
		return err
	}
	if err := s.breakSeal(); err != nil {
		return err
	}
	s.db, err = pebble.Open(s.dir, s.options())
	if err != nil {
		return s.unopened(err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.db.Close())
		}
	}()
	if err := s.findNumbers(); err != nil {
		return err
	}
	if format != Format {
		if err := s.upgrade(format); err != nil {
			return err
		}
		if format > 0 {
			s.failure.log.Info("the store is upgraded; older programs refuse it from now on", "format", Format, "was", format)
		}
		s.anchor = nil // it was about the store before the upgrade
	}
	if s.name, err = s.readName(); err != nil {
		return err
	}
	if err = s.findEnds(); err != nil {
		return err
	}
	if s.whole {
		err = s.holdsAnchored()
	}
	if s.db.Metrics().Levels[0].Sublevels >= heldTablesMax {
		s.compact.release()
	}
	if err != nil || s.anchor != nil {
		return err
	}
	return s.anchorEnd() // what was in a log is now in a table
}

// readName reads the store's name. The exported methods need a store that is open; this one does
// not.
func (s *Store) readName() (string, error) {
	value, closer, err := s.db.Get(nameKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return "", corrupt("name", "it is missing")
	}
	if err != nil {
		return "", s.refused("its name", err)
	}
	body, err := unseal(nameKey(), value, "name")
	name := string(body) // copied before the value is released
	return name, errors.Join(err, closer.Close())
}

func (s *Store) options() *pebble.Options {
	o := &pebble.Options{
		FS:                 disk{s.fs, s.failure, s.ballast},
		Lock:               s.lock.Lock,
		Logger:             s.failure,
		FormatMajorVersion: databaseFormat,
		CacheSize:          cacheBytes,
		MemTableSize:       memtableBytes,
		MaxOpenFiles:       min(openFilesMax, descriptor.Max()/4),

		MaxManifestFileSize: manifestBytes,

		EventListener: &pebble.EventListener{
			// A read of damaged data returns an error; that need not be fatal. Every read of it comes here.
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				if place, fresh := s.damage.note(fmt.Errorf("%s: %w", s.fs.PathBase(i.Path), i.Details)); fresh {
					s.failure.log.Error("a part of the store cannot be read: the rest is served; "+whatToDo, "folder", s.dir, "where", place, "error", i.Details)
				}
			},
			BackgroundError: s.met,
		},
		// Far above what a store with compacted tables has: up to there it can be written to even
		// when damage keeps its tables from being compacted.
		L0StopWritesThreshold: stallTables,
		L0CompactionThreshold: 2 * overlapMax, // Pebble counts each overlap twice
	}
	// Most lookups find nothing: each new request and session is looked up first. With ten bits per
	// key only about one in a hundred of those lookups reads a block.
	for i := range o.Levels {
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	s.compact.scheduler = newScheduler(s.compact)
	o.Experimental.CompactionScheduler = s.compact.scheduler
	// The same bytes with and without cgo; zstd's would differ.
	o.ApplyCompressionSettings(func() pebble.DBCompressionSettings {
		return pebble.UniformDBCompressionSettings(sstable.SnappyCompression)
	})
	return o
}

// checkFormat returns the format of an existing store, or 0 if a crash came before it had one. It
// changes nothing. A store that this code must not touch, such as one written by newer code, is an
// error (JRN-15).
func (s *Store) checkFormat() (format uint32, err error) {
	db, err := s.look()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.db = db
	if format, err = s.formatOf(db); err == nil && format == Format {
		if err = s.readHead(); err == nil && s.admits != nil {
			err = s.admits(s)
		}
	}
	return format, err
}

// checkClosed asks whether a store that is as it was closed may be opened. It changes nothing.
func (s *Store) checkClosed() (err error) {
	if s.admits == nil {
		return nil
	}
	if s.db, err = s.look(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.db.Close()) }()
	if s.readEnds() != nil { // the opening says what is damaged
		return nil
	}
	return s.admits(s)
}

// readHead reads the store's name and the ends of its journal, and checks them against the anchor.
func (s *Store) readHead() (err error) {
	if s.name, err = s.readName(); err != nil {
		return err
	}
	if err := s.findEnds(); err != nil {
		return err
	}
	return s.holdsAnchored()
}

// look opens the database read-only.
func (s *Store) look() (*pebble.DB, error) {
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return nil, err
	}
	if !s.whole {
		if err := files.CheckManifest(s.fs, s.fs.PathJoin(s.dir, folder.Manifest)); err != nil {
			return nil, s.unopened(err)
		}
		for _, name := range folder.Logs {
			if err := files.CheckLog(s.fs, s.fs.PathJoin(s.dir, name)); err != nil {
				return nil, s.unopened(err)
			}
		}
	}
	o := s.options()
	o.ReadOnly = true
	db, err := pebble.Open(s.dir, o)
	if err != nil {
		return nil, s.unopened(err)
	}
	if err := s.legible(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// legible returns an error if a table cannot be read whatever its data: nothing in it could be
// looked up or compacted. Damage within the data shows when that is read.
func (s *Store) legible(db *pebble.DB) error {
	levels, err := db.SSTables()
	if err != nil {
		return classify(err)
	}
	for _, level := range levels {
		for _, info := range level {
			if _, is := s.tails[tableName(info)]; is {
				continue
			}
			t, err := table.Open(context.Background(), s.fs, s.dir, tableName(info))
			if err != nil {
				return s.unopened(fmt.Errorf("%s: %w", tableName(info), err))
			}
			if err := t.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// formatOf reads the format record. A store that has other content but no format record was
// re-created over an old one, or lost the record.
func (s *Store) formatOf(db *pebble.DB) (format uint32, err error) {
	value, closer, err := db.Get(formatKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, s.isEmpty(db)
	}
	if err != nil {
		return 0, s.refused("the record of its format", err)
	}
	defer func() { err = errors.Join(err, closer.Close()) }()
	return version(value)
}

// unopened says why the database does not open. An error of the system about a file is returned as
// it is; Pebble's errors go to the log.
func (s *Store) unopened(err error) error {
	file := (*fs.PathError)(nil)
	if missing := errors.Is(err, fs.ErrNotExist); errors.As(err, &file) && !missing || s.failure.failed() != nil {
		return err
	}
	s.failure.log.Error("the database cannot be opened", "folder", s.dir, "error", err)
	return broken(s.dir, files.Explain(err), err)
}

// isEmpty returns an error unless the database holds nothing and never did, as after a crash
// between making it and writing its format.
func (s *Store) isEmpty(db *pebble.DB) error {
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return err
	}
	it, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	switch {
	case s.anchor != nil && s.anchor.Last > 0:
		err = broken(s.dir, "nothing is left of the log: "+is(1, s.anchor.Last)+" lost", nil)
	case it.First() || len(folder.Tables) > 0 || s.anchor != nil:
		err = broken(s.dir, "the record of its format is missing beside "+rest(folder), it.Error())
	}
	return errors.Join(err, it.Close())
}
