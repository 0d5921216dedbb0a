package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
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
	Store  string `json:"store"` // the name of the store
	Last   uint64 `json:"last"`  // every record up to this one was durable
	// Sealed is each file of a database that was closed, and that nobody has opened to
	// be written since.
	Sealed []sealed `json:"sealed,omitempty"`
}

// sealed is a file as it was when the database was closed.
type sealed struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Sum   uint32 `json:"sum,omitempty"` // CRC-32C of what is in it; 0 of a table, whose blocks have their own
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
	return s.failure.guard(s.anchorEnd)
}

// anchorEnd notes the last record, which is durable.
func (s *Store) anchorEnd() error {
	_, last := s.extent.ends()
	if s.anchor != nil && s.anchor.Last == last {
		return nil
	}
	return s.writeAnchor(anchor{Format: anchorFormat, Store: s.name, Last: last})
}

// breakSeal takes back what the anchor says of the files, before they are changed.
func (s *Store) breakSeal() error {
	if s.anchor == nil || len(s.anchor.Sealed) == 0 {
		return nil
	}
	open := *s.anchor
	open.Sealed = nil
	return s.writeAnchor(open)
}

// sealAll notes what all files are, after the close of the database.
func (s *Store) sealAll() error {
	folder, err := files.List(s.fs, s.dir)
	if err != nil {
		return err
	}
	_, last := s.extent.ends()
	all := anchor{Format: anchorFormat, Store: s.name, Last: last}
	for _, name := range folder.Names() {
		one, err := s.sealOf(name)
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
