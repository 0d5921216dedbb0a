package salvage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm/wording"
	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// source is a table or a log.
type source struct {
	number uint64 // of the file
	keys   table.Span
	table  *table.Table
	bad    []table.Block
	log    []table.Entry // in key order, the latest version of each key first

	scanned bool // log holds what could be read of a table

	older  []*source // the sources that this one was made from
	hidden []table.Span
}

// entries yields what can be read of the source.
func (s *source) entries(ctx context.Context) iter.Seq2[table.Entry, error] {
	if s.table != nil {
		return s.table.Entries(ctx, s.bad)
	}
	return func(yield func(table.Entry, error) bool) {
		for _, e := range s.log {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// hides reports whether a key of the source is superseded by a newer source.
func (s *source) hides(key []byte) bool {
	return slices.ContainsFunc(s.hidden, func(h table.Span) bool { return h.Meets(key, table.After(key)) })
}

// openTable opens a table and notes its damage.
func (f *Found) openTable(ctx context.Context, disk vfs.FS, dir string, l listed) error {
	name := l.name
	t, err := table.Open(ctx, disk, dir, name)
	if err != nil {
		f.scanTable(disk, dir, l)
		return nil
	}
	_, number := files.Parse(name)
	s := &source{number: number, table: t}
	f.sources = append(f.sources, s)
	if s.bad, err = t.Damaged(ctx); err != nil {
		return err
	}
	for _, b := range s.bad {
		f.Damage = append(f.Damage, fmt.Sprintf("%s at byte %d", name, b.Offset))
		f.Spans = append(f.Spans, b.Keys)
	}
	deleted, err := t.Deletions(ctx)
	if err != nil {
		return err
	}
	f.deletions = append(f.deletions, deleted...)
	return nil
}

// scanTable reads what it can of a table that cannot be opened.
func (f *Found) scanTable(disk vfs.FS, dir string, l listed) {
	f.Damage = append(f.Damage, l.name+" as a whole")
	entries := table.Scan(disk, dir, l.name)
	if n := len(entries); n > 0 {
		_, number := files.Parse(l.name)
		f.sources = append(f.sources, &source{number: number, log: entries, scanned: true})
		l.keys.From = table.After(entries[n-1].Key)
	}
	switch {
	case l.keys.To == nil:
		f.Blank, f.Unreadable = append(f.Blank, "what "+l.name+" held, but for what was recovered"), true
	case !bytes.Equal(l.keys.From, l.keys.To): // its last key was not read
		f.Spans, f.Unreadable = append(f.Spans, l.keys), true
	}
}

// openLog reads a log and notes its damage.
func (f *Found) openLog(disk vfs.FS, dir, name string) {
	text, err := files.Bytes(disk, disk.PathJoin(dir, name))
	if err != nil {
		f.Damage, f.Unreadable = append(f.Damage, name+" as a whole"), true
		return
	}
	_, number := files.Parse(name)
	records, bad := files.ReadLog(text, number)
	for _, r := range bad {
		f.Damage = append(f.Damage, fmt.Sprintf("%s at byte %d", name, r.From))
		f.Blank = append(f.Blank, fmt.Sprintf("what %s of %s held", wording.Count(int(r.To-r.From), "byte"), name))
	}
	s := &source{number: number}
	for _, record := range records {
		if !f.batch(s, record) {
			f.Damage, f.Unreadable = append(f.Damage, name+": a batch that cannot be read"), true
		}
	}
	slices.SortStableFunc(s.log, func(a, b table.Entry) int {
		return cmp.Or(bytes.Compare(a.Key, b.Key), cmp.Compare(b.Seq, a.Seq))
	})
	f.sources = append(f.sources, s)
}

// batch adds what one record of a log wrote, and reports whether all of it could be read.
func (f *Found) batch(s *source, record []byte) (whole bool) {
	head, ok := batchrepr.ReadHeader(record)
	if !ok {
		return false
	}
	seq := uint64(head.SeqNum)
	for r := batchrepr.Read(record); ; {
		kind, key, value, ok, err := r.Next()
		switch {
		case err != nil:
			return false
		case !ok:
			return true
		}
		switch kind {
		case pebble.InternalKeyKindLogData:
			continue // it has no number
		case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete:
			s.log = append(s.log, table.Entry{Key: key, Value: value, Seq: seq})
		case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete, pebble.InternalKeyKindDeleteSized:
			s.log = append(s.log, table.Entry{Key: key, Seq: seq, Deleted: true})
		case pebble.InternalKeyKindRangeDelete:
			f.deletions = append(f.deletions, table.Deletion{Span: table.Span{From: key, To: value}, Seq: seq})
		default:
			return false
		}
		seq++
	}
}
