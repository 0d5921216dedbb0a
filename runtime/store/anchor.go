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

	"shelly/fsm/wording"
	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// The anchor is a small file beside the database that records how much of the journal was durable:
// what looks to the database like the end of a log may be damage (JRN-31). It is written after what
// it vouches for, so it may claim too little but never too much. It begins with the CRC-32C of the
// rest, in hexadecimal.
const (
	anchorName   = "anchor"
	anchorFormat = 1
)

// anchor is the content of the file.
type anchor struct {
	Format int    `json:"format"`
	Store  string `json:"store"`            // the name of the store
	Last   uint64 `json:"last"`             // every record up to this one was durable
	Layout uint32 `json:"layout,omitempty"` // the store's format when it was closed (Format)
	// Sealed lists each file of a database that was closed and has not been opened for writing
	// since.
	Sealed []sealed `json:"sealed,omitempty"`
	// Tables lists, while the database is open and after a crash, each table that was sealed: a
	// table never changes.
	Tables []sealed `json:"tables,omitempty"`
}

// tables returns what is known about the ends of the tables.
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
	Sum   uint32 `json:"sum,omitempty"`  // CRC-32C of what is in it; 0 for a table, whose blocks have their own
	Tail  *tail  `json:"tail,omitempty"` // of a table
}

// readAnchor reads the anchor of a folder, or returns nil where there is none. An anchor that is
// not what was written is an ErrCorrupt.
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

// Rest records outside the journal how far it reaches; all of it must be durable. A daemon calls it
// when it is idle, so that a loss at the end of the last log is not mistaken for the log's end.
func (s *Store) Rest() error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.failure.guard(func() error {
		s.compact.release()
		return s.anchorEnd()
	})
}

// anchorEnd writes the anchor for the last record, which is durable.
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

// breakSeal withdraws what the anchor says about the files, before they are changed.
func (s *Store) breakSeal() error {
	if s.anchor == nil || len(s.anchor.Sealed) == 0 {
		return nil
	}
	open := *s.anchor
	open.Sealed, open.Tables, open.Layout = nil, s.anchor.tables(), 0
	return s.writeAnchor(open)
}

// sealAll seals all files, after the database was closed.
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

// sealOf returns a file as it is now.
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

// tail is the part of a table that holds everything but its data; for a small table, the whole of
// it. Checking its sum takes one read, where legible reads block by block.
type tail struct {
	From int64  `json:"from"`
	Sum  uint32 `json:"sum"` // CRC-32C
}

// wholeBytesMax is the largest table, in bytes, whose tail is the whole of it.
const wholeBytesMax = 64 << 10

// sealTail records the tail of a table, after checking all that is in it.
func (s *Store) sealTail(one *sealed) error {
	if known, ok := s.tails[one.Name]; ok && known.Bytes == one.Bytes {
		one.Tail = known.Tail
		return nil
	}
	from := int64(0)
	if one.Bytes > wholeBytesMax {
		t, err := table.Open(context.Background(), s.fs, s.dir, one.Name)
		if errors.Is(err, table.ErrDamaged) {
			return nil // the next opening finds it as it is
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

// tailSum returns the checksum of a file of the given length from byte from on. It reads into room.
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

// asClosed reports whether the files are those that this version of shelly closed, to the byte
// wherever an opening depends on it: then the opening already knows what it would look for.
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

// readTails notes which of the tables end as they did. In a large store that is megabytes to read.
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

// tailReaders is how many goroutines read tables.
const tailReaders = 2

// brokenSeal returns, in words, what has changed since the database was closed. If a file is newer
// than all that were sealed, an older shelly, which has no anchor, has opened the database since:
// then the seal says nothing.
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
			list = append(list, fmt.Sprintf("%s has %s but had %d", was.Name, wording.Count(int(is.Bytes), "byte"), was.Bytes))
		case is.Sum != was.Sum:
			list = append(list, was.Name+" is not what was written")
		}
	}
	return list, nil
}

// holdsAnchored returns an error where the database lacks what the anchor vouches for (JRN-31). The
// options file may have any content: it is written again.
func (s *Store) holdsAnchored() error {
	if s.anchor == nil {
		return nil
	}
	if s.anchor.Store != s.name {
		return broken(s.dir, fmt.Sprintf("it is the store %s, but the file %s belongs to the store %s", s.name, anchorName, s.anchor.Store), nil)
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

// is names the records from first to last, with their verb.
func is(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("record %d is", first)
	}
	return fmt.Sprintf("records %d to %d are", first, last)
}
