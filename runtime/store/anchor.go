package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// The anchor is a small file beside the database that says how far the journal was
// durable: what the database takes for the end of a log may be damage (JRN-31). It is
// written after what it tells of, so it may say too little and never too much. It begins
// with the CRC-32C of what follows, in hexadecimal.
const (
	anchorName   = "anchor"
	anchorFormat = 1
)

// anchor is what the file says.
type anchor struct {
	Format int    `json:"format"`
	Store  string `json:"store"`            // the name of the store
	Last   uint64 `json:"last"`             // every record up to this one was durable
	Layout uint32 `json:"layout,omitempty"` // the store's format when it was closed (Format)
	// Sealed is each file of a database that was closed, and that nobody has opened to
	// be written since.
	Sealed []sealed `json:"sealed,omitempty"`
	// Tables is, while the database is open and after a crash, each table that was sealed: no
	// table ever changes.
	Tables []sealed `json:"tables,omitempty"`
}

// tables is what is known of the ends of tables.
func (a *anchor) tables() []sealed {
	return slices.DeleteFunc(slices.Concat(a.Sealed, a.Tables), func(of sealed) bool {
		kind, _ := files.Parse(of.Name)
		return kind != files.Table || of.Tail == nil
	})
}

// sealed is a file as it was when the database was closed.
type sealed struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"sum,omitempty"`  // CRC-32C of what is in it; 0 of a table, whose blocks have their own
	Tail  *tail  `json:"tail,omitempty"` // of a table
}

// readAnchor reads the anchor of a folder; nil: there is none. One that is not what was
// written is an ErrCorrupt.
func readAnchor(disk vfs.FS, dir string) (*anchor, error) {
	text, err := files.Bytes(disk, disk.PathJoin(dir, anchorName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum, body, _ := bytes.Cut(text, []byte("\n"))
	if string(sum) != fmt.Sprintf("%08x", crc(body)) {
		return nil, corrupt("the file "+anchorName, "it is not what was written")
	}
	a := &anchor{}
	if err := json.Unmarshal(body, a); err != nil {
		return nil, corrupt("the file "+anchorName, err)
	}
	if a.Format > anchorFormat {
		return nil, fmt.Errorf("%w: %s has format %d, this shelly reads up to %d: use the newer one", ErrNewerFormat, disk.PathJoin(dir, anchorName), a.Format, anchorFormat)
	}
	return a, nil
}

func crc(text []byte) uint32 { return crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) }

// writeAnchor replaces the anchor, durably.
func (s *Store) writeAnchor(a anchor) error {
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	name := s.fs.PathJoin(s.dir, anchorName)
	f, err := s.fs.Create(name+".tmp", vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("write the anchor: %w", err)
	}
	_, err = fmt.Fprintf(f, "%08x\n%s", crc(body), body)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = s.fs.Rename(name+".tmp", name)
	}
	if err == nil {
		err = syncFolder(s.fs, s.dir)
	}
	if err != nil {
		return fmt.Errorf("write the anchor: %w", err)
	}
	s.anchor = &a
	return nil
}

// Rest notes outside the journal how far it is: all of it must be durable. A daemon that
// is at rest calls it, so that what is lost of the last log does not pass for its end.
func (s *Store) Rest() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.failure.guard(func() error {
		s.compact.release()
		return s.anchorEnd()
	})
}

// anchorEnd notes the last record, which is durable.
func (s *Store) anchorEnd() error {
	_, last := s.extent.ends()
	if s.anchor != nil && s.anchor.Last == last {
		return nil
	}
	next := anchor{Format: anchorFormat, Store: s.name, Last: last}
	if s.anchor != nil {
		next.Tables = s.anchor.tables()
	}
	return s.writeAnchor(next)
}

// breakSeal takes back what the anchor says of the files, before they are changed.
func (s *Store) breakSeal() error {
	if s.anchor == nil || len(s.anchor.Sealed) == 0 {
		return nil
	}
	open := *s.anchor
	open.Sealed, open.Tables, open.Layout = nil, s.anchor.tables(), 0
	return s.writeAnchor(open)
}

// sealAll notes what all files are, after the close of the database.
func (s *Store) sealAll() error {
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return err
	}
	_, last := s.extent.ends()
	all := anchor{Format: anchorFormat, Store: s.name, Last: last, Layout: Format}
	for _, name := range folder.Names() {
		one, err := s.sealOf(name)
		if kind, _ := files.Parse(name); kind == files.Table && err == nil {
			err = s.sealTail(&one)
		}
		if err != nil {
			return fmt.Errorf("seal %s: %w", name, err)
		}
		all.Sealed = append(all.Sealed, one)
	}
	return s.writeAnchor(all)
}

// sealOf is what a file is now.
func (s *Store) sealOf(name string) (sealed, error) {
	path := s.fs.PathJoin(s.dir, name)
	if kind, _ := files.Parse(name); kind == files.Table {
		info, err := s.fs.Stat(path)
		if err != nil {
			return sealed{}, err
		}
		return sealed{Name: name, Bytes: info.Size()}, nil
	}
	bytes, sum, err := files.Sum(s.fs, path)
	return sealed{Name: name, Bytes: bytes, Sum: sum}, err
}

// tail is the part of a table from which the rest is read, of a small one all. Its checksum tells
// in one reading what legible finds out block by block.
type tail struct {
	From int64  `json:"from"`
	Sum  uint32 `json:"sum"` // CRC-32C
}

// wholeBytesMax is how large a table is at most whose tail is all of it.
const wholeBytesMax = 64 << 10

// sealTail notes the tail of a table, after a look at all that is in it.
func (s *Store) sealTail(one *sealed) error {
	if known, ok := s.tails[one.Name]; ok && known.Bytes == one.Bytes {
		one.Tail = known.Tail
		return nil
	}
	from := int64(0)
	if one.Bytes > wholeBytesMax {
		t, err := table.Open(context.Background(), s.fs, s.dir, one.Name)
		if errors.Is(err, table.ErrDamaged) {
			return nil // whoever opens the store next finds it so
		} else if err != nil {
			return err
		}
		from = t.Rest()
		if err := t.Close(); err != nil {
			return err
		}
	}
	sum, err := s.tailSum(one.Name, from, one.Bytes, &[]byte{})
	one.Tail = &tail{From: from, Sum: sum}
	return err
}

// tailSum is the checksum of a file of a length from one byte on, which is read into room.
func (s *Store) tailSum(name string, from, bytes int64, room *[]byte) (sum uint32, err error) {
	if from < 0 || from > bytes {
		return 0, fmt.Errorf("%s has no byte %d", name, from)
	}
	f, err := s.fs.Open(s.fs.PathJoin(s.dir, name))
	if err != nil {
		return 0, err
	}
	text := slices.Grow((*room)[:0], int(bytes-from))[:bytes-from]
	_, err = f.ReadAt(text, from)
	*room = text
	return crc(text), errors.Join(err, f.Close())
}

// asClosed reports whether the store's files are, to the byte where that matters to an opening,
// those that this shelly has closed: what an opening looks for is known then.
func (s *Store) asClosed() bool {
	s.tails = map[string]sealed{}
	if s.anchor == nil {
		return false
	}
	s.readTails(s.anchor.tables())
	if s.anchor.Layout != Format {
		return false
	}
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return false
	}
	var names []string
	for _, was := range s.anchor.Sealed {
		names = append(names, was.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, folder.Names()) || len(s.tails) < len(folder.Tables) {
		return false
	}
	broken, err := s.brokenSeal()
	return err == nil && len(broken) == 0
}

// readTails notes which of the tables end as they did: of a large store that is megabytes.
func (s *Store) readTails(tables []sealed) {
	var mu sync.Mutex
	var readers sync.WaitGroup
	for part := range slices.Chunk(tables, max(1, (len(tables)+tailReaders-1)/tailReaders)) {
		readers.Go(func() {
			var room []byte
			for _, was := range part {
				sum, err := s.tailSum(was.Name, was.Tail.From, was.Bytes, &room)
				if err == nil && sum == was.Tail.Sum {
					mu.Lock()
					s.tails[was.Name] = was
					mu.Unlock()
				}
			}
		})
	}
	readers.Wait()
}

// tailReaders is how many tables are read at once.
const tailReaders = 2

// brokenSeal returns what is not as it was when the database was closed, in words. Where a
// file is newer than all of them an older shelly, which has no anchor, has opened it since.
func (s *Store) brokenSeal() ([]string, error) {
	if s.anchor == nil || len(s.anchor.Sealed) == 0 {
		return nil, nil
	}
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return nil, err
	}
	newest := uint64(0)
	for _, was := range s.anchor.Sealed {
		if kind, number := files.Parse(was.Name); kind != files.Marker {
			newest = max(newest, number)
		}
	}
	if folder.Newest > newest {
		return nil, nil
	}
	var list []string
	for _, was := range s.anchor.Sealed {
		is, err := s.sealOf(was.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			list = append(list, was.Name+" is missing")
		case err != nil:
			return nil, err
		case is.Bytes != was.Bytes:
			list = append(list, fmt.Sprintf("%s has %d bytes and had %d", was.Name, is.Bytes, was.Bytes))
		case is.Sum != was.Sum:
			list = append(list, was.Name+" is not what was written")
		}
	}
	return list, nil
}

// holdsAnchored returns an error where the database does not hold what the anchor says that it held
// (JRN-31). Its options may be anything: they are written again.
func (s *Store) holdsAnchored() error {
	if s.anchor == nil {
		return nil
	}
	if s.anchor.Store != s.name {
		return broken(s.dir, fmt.Sprintf("it is the store %s, and the file %s is of the store %s", s.name, anchorName, s.anchor.Store), nil)
	}
	list, err := s.brokenSeal()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(text string) bool { return strings.HasPrefix(text, "OPTIONS-") })
	if _, last := s.extent.ends(); last < s.anchor.Last {
		list = append(list, fmt.Sprintf("the journal ends with record %d, and record %d was durable: %s lost",
			last, s.anchor.Last, is(last+1, s.anchor.Last)))
	}
	if len(list) == 0 {
		return nil
	}
	return broken(s.dir, strings.Join(list, "; "), nil)
}

// is is the records from first to last, with their verb.
func is(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d is", first)
	}
	return fmt.Sprintf("records %d to %d are", first, last)
}
