package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
	"shelly/runtime/descriptor"
	"shelly/runtime/store/copies"
	"shelly/runtime/store/files"
	"shelly/runtime/store/text"
)

// Format is the version of the layout that doc.go describes. Opening a store of an older format
// upgrades it to this one.
const Format = 9

// alike is the oldest format with the same layout as Format: the newer ones hold more in the same
// places.
const alike = 3

// How much memory Pebble may use. The store is small and is written more than it is read, and an
// idle daemon should stay small. The tables in memory, one being written and one kept for reuse,
// take their share from the cache.
const (
	memtableBytes = 4 << 20
	cacheBytes    = 2*memtableBytes + 4<<20
	openFilesMax  = 128
	overlapMax    = 8 // tables over one another, from which on they are compacted
	stallTables   = 1000
	manifestBytes = 1 << 20 // of the list of tables: each change adds to it until a new one is begun
)

// Options says how to open a store.
type Options struct {
	// FS is the file system; nil: the operating system's.
	FS vfs.FS
	// Logger gets Pebble's messages and those of an upgrade; nil: they are discarded.
	Logger *slog.Logger
	// ReserveBytes is the free space below which [Store.Space] returns an error.
	ReserveBytes uint64
	// Damaged is called with the error of each memory entry that cannot be read, and reading goes
	// on with the next. If it is nil, reading ends with the error (JRN-30).
	Damaged func(error)
	// Admits is called by [Open] with a journal of the present format before anything in the folder
	// is changed; an error from it ends the opening. If it is nil, each journal is admitted.
	Admits func(engine.Reader) error
	// BallastBytes is the size of the ballast that is given up when the disk is full (JRN-23); 0:
	// there is no ballast.
	BallastBytes uint64
}

func (o Options) withDefaults() Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.FS = descriptor.Patient{FS: o.FS}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// Store is an open folder. It is safe for concurrent use, with these exceptions: Append,
// SaveSnapshot and Trim belong to one goroutine at a time, and Close comes after everything else.
type Store struct {
	dir     string
	fs      vfs.FS
	reserve uint64
	ballast *ballast
	lock    *folderLock
	db      *pebble.DB
	failure *failure
	closed  atomic.Bool
	name    string
	extent  *extent
	compact *compaction
	sweep   sweep
	latest  *latest
	damaged func(error) // nil: damage is an error
	anchor  *anchor     // the content of the file; nil: none
	still   bool        // it is open read-only
	admits  func(engine.Reader) error
	whole   bool              // when it was opened, its files were as they had been closed
	tails   map[string]sealed // the tables that end as they did when the store was closed
	damage  places
	// damagedTexts maps the number of each text found unreadable to its error.
	damagedTexts sync.Map
	known        *text.Known
	codec        *text.Codec
	turn         chan struct{} // held by whoever writes references to texts
	refers       refers
	vectors      *copies.File
	bodies       []byte // of the records of the last batch: memory for the next one's
}

var _ engine.Journal = (*Store)(nil)

// Name tells this store from every other one, including one made in its place later: what lies
// outside the store can record which store it belongs to.
func (s *Store) Name() string { return s.name }

// nameBytes is the length of a name: 40 bits of randomness.
const nameBytes = 8

func tableName(info pebble.SSTableInfo) string { return fmt.Sprintf("%s.sst", info.BackingSSTNum) }

// version decodes a format record.
func version(value []byte) (uint32, error) {
	if len(value) != 4 {
		return 0, corrupt("format record", fmt.Sprintf("%d bytes, want 4", len(value)))
	}
	switch v := binary.BigEndian.Uint32(value); {
	case v > Format:
		return 0, fmt.Errorf("%w: format %d, this shelly reads up to %d: use the newer one", ErrNewerFormat, v, Format)
	case v == 0:
		return 0, corrupt("format record", "format 0")
	default:
		return v, nil
	}
}

// Failed returns a channel that is closed when the store can no longer write; the process must then
// end. [Store.Err] returns why.
func (s *Store) Failed() <-chan struct{} { return s.failure.done }

// Err returns the error that failed the store, or nil.
func (s *Store) Err() error { return s.failure.failed() }

// Close makes all writes durable and releases the folder. A store that has failed is left as it is,
// locked until the process ends, and Close returns why.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.failure.guard(func() error {
		shed, err := s.shed()
		s.compact.end()
		s.vectors.Close()
		err = errors.Join(err, s.db.Close())
		if err == nil && shed {
			err = files.DropLogs(s.fs, s.dir, func(name string, why error) { // the next opening removes it
				s.failure.log.Warn("a log that is no longer needed cannot be removed", "file", name, "error", why)
			})
		}
		if err == nil && !s.still {
			err = s.sealAll()
		}
		return errors.Join(err, s.lock.Close())
	})
}

// logBytesMax bounds the logs beside a closed database (JRN-36): what they hold is in no table yet
// and not compressed, the next opening reads it and writes it to one, and Pebble keeps some logs
// that hold nothing.
const logBytesMax = 128 << 10

// shed writes the content of long logs to a table, and reports whether the last log is then the
// only one that the database needs. Nothing may be writing any more. On a nearly full disk, or
// where tables cannot be compacted, the logs stay.
func (s *Store) shed() (bool, error) {
	if s.still || s.compact.off() {
		return false, nil
	}
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return false, err
	}
	total, err := folder.LogBytes(s.fs, s.dir)
	if err != nil || total <= logBytesMax {
		return false, err
	}
	usage, err := s.fs.GetDiskUsage(s.dir)
	switch {
	case errors.Is(err, vfs.ErrUnsupported):
	case err != nil:
		return false, err
	case usage.AvailBytes < s.reserve+total:
		return false, nil
	}
	return true, s.db.Flush()
}

// usable returns why the store cannot be used, or nil.
func (s *Store) usable() error {
	if s.closed.Load() {
		return ErrClosed
	}
	return s.failure.failed()
}

// Usage is the disk space that a store uses and what is left.
type Usage struct {
	Bytes   uint64  // used by the store
	Free    *uint64 // left on its disk for this user; nil if the file system cannot tell
	Reserve uint64  // the part of Free that must stay: below it nothing is accepted
}

// Usage returns the space that the store uses now.
func (s *Store) Usage() (Usage, error) {
	u := Usage{Reserve: s.reserve}
	if err := s.usable(); err != nil {
		return u, err
	}
	m := s.db.Metrics()
	u.Bytes = m.DiskSpaceUsage() - m.WAL.PhysicalSize + max(m.WAL.PhysicalSize, m.WAL.Size) // the former lacks the log that is being written
	if free, err := s.fs.GetDiskUsage(s.dir); err == nil {
		u.Free = &free.AvailBytes
	}
	return u, nil
}

// Space implements [engine.Journal]: it returns an error if less than the reserve is left (JRN-14).
// A file system that cannot tell is assumed to have room, and so is a folder that is not at its path
// any more: what is written next says so, and fails the store (CFG-8). If there is room for a missing
// ballast, Space makes it.
func (s *Store) Space() error {
	usage, err := s.fs.GetDiskUsage(s.dir)
	switch {
	case errors.Is(err, vfs.ErrUnsupported), err != nil && s.failure.moved() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("read the free space of %s: %w", s.dir, err)
	case usage.AvailBytes < s.reserve:
		return fmt.Errorf("%w: %s has %s left, %s are kept in reserve: free some space",
			engine.ErrNoSpace, s.dir, size(usage.AvailBytes), size(s.reserve))
	}
	return s.ballast.keep(usage.AvailBytes, s.reserve)
}
