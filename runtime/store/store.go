package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/engine"
	"shelly/runtime/store/copies"
	"shelly/runtime/store/files"
	"shelly/runtime/store/text"
)

// Format is the version of the layout that doc.go describes. Opening a store of an
// older one makes it one of this.
const Format = 7

// alike is the oldest format whose layout is that of Format: the newer ones hold more
// in the same places.
const alike = 3

// What Pebble may take of memory. The store is small and written more than it
// is read: an idle daemon should stay so. The tables in memory, the one that is
// written and one that is kept for the next, have theirs out of the cache.
const (
	memtableBytes = 4 << 20
	cacheBytes    = 2*memtableBytes + 4<<20
	openFilesMax  = 128
	stallTables   = 1000
	manifestBytes = 1 << 20 // of the list of tables, which gets a line with each change until a new one is begun
)

// Options says how to open a store.
type Options struct {
	// FS is the file system; nil is the disk.
	FS vfs.FS
	// Logger hears what Pebble has to say; nil: nobody does.
	Logger *slog.Logger
	// ReserveBytes is the free space below which [Store.Space] is an error.
	ReserveBytes uint64
	// Damaged hears of memory entries that cannot be read, and the others are read; nil:
	// that is an error (JRN-30).
	Damaged func(error)
	// BallastBytes is the size of the ballast that is given up when the disk is full
	// (JRN-23); 0: none.
	BallastBytes uint64
}

// Store is an open folder. It is safe for concurrent use, but for Append,
// SaveSnapshot and Trim, which belong to one goroutine at a time, and for Close, which
// comes after all else.
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
	damaged func(error)       // nil: damage is an error
	anchor  *anchor           // what the file says; nil: nothing
	still   bool              // it is open to be read
	whole   bool              // its files were those that were closed when it was opened
	tails   map[string]sealed // the tables that end as they did when the store was closed
	damage  places
	// damagedTexts has the error of each text that was met and cannot be read, by its number.
	damagedTexts sync.Map
	known        *text.Known
	turn         chan struct{} // whoever writes what texts are referred to has it
	refers       refers
	vectors      *copies.File
}

var _ engine.Journal = (*Store)(nil)

// Name tells this store from every other one, and from one that is made in its
// place: what lies outside the store can say with it what it belongs to.
func (s *Store) Name() string { return s.name }

// nameBytes is the length of a name: 40 bits of randomness.
const nameBytes = 8

func tableName(info pebble.SSTableInfo) string { return fmt.Sprintf("%s.sst", info.BackingSSTNum) }

// version reads a format record.
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

// Failed is closed when the store can no longer write, which ends the process;
// [Store.Err] says why.
func (s *Store) Failed() <-chan struct{} { return s.failure.done }

// Err returns what has failed the store, or nil.
func (s *Store) Err() error { return s.failure.failed() }

// Close makes all writes durable and gives the folder back. A store that has
// failed is left as it is, locked until the process ends, and Close returns why.
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
			err = files.DropLogs(s.fs, s.dir, func(name string, why error) { // the next opening does it
				s.failure.log.Warn("a log that holds nothing any more cannot be removed", "file", name, "error", why)
			})
		}
		if err == nil && !s.still {
			err = s.sealAll()
		}
		return errors.Join(err, s.lock.Close())
	})
}

// logBytesMax is how much may lie in logs beside a closed database (JRN-36): what is in them is
// in no table yet and is read again by the next opening, and Pebble keeps some that hold nothing.
const logBytesMax = 1 << 20

// shed writes what is in long logs to a table, and reports whether the last log is the only one
// that the database needs. Nobody writes any more. On a disk that is nearly full,
// and where tables cannot be compacted, the logs stay.
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

// Usage is what a store takes and what is left.
type Usage struct {
	Bytes   uint64 // of the store on the disk
	Free    uint64 // of its disk, for this user
	Reserve uint64 // of Free, below which nothing is accepted
}

// Usage returns what the store takes now. Where the file system cannot tell, Free is 0.
func (s *Store) Usage() (Usage, error) {
	u := Usage{Reserve: s.reserve}
	if err := s.usable(); err != nil {
		return u, err
	}
	u.Bytes = s.db.Metrics().DiskSpaceUsage()
	if free, err := s.fs.GetDiskUsage(s.dir); err == nil {
		u.Free = free.AvailBytes
	}
	return u, nil
}

// Space implements [engine.Journal]: the reserve of JRN-14. A file system that
// cannot tell is taken to have room. Where there is room for the ballast it is made.
func (s *Store) Space() error {
	usage, err := s.fs.GetDiskUsage(s.dir)
	switch {
	case errors.Is(err, vfs.ErrUnsupported):
		return nil
	case err != nil:
		return fmt.Errorf("read the free space of %s: %w", s.dir, err)
	case usage.AvailBytes < s.reserve:
		return fmt.Errorf("%w: %s has %d bytes left, %d are kept in reserve: free some",
			engine.ErrNoSpace, s.dir, usage.AvailBytes, s.reserve)
	}
	return s.ballast.keep(usage.AvailBytes, s.reserve)
}
