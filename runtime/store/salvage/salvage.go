package salvage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// Options says how to read.
type Options struct {
	// Once reports whether a key is written once and its value never changes.
	Once func(key []byte) bool
	// Version is the database's format major version (Pebble's).
	Version uint64
	// Lock is the folder's lock, which the caller holds.
	Lock *pebble.Lock
	// Logger gets Pebble's messages.
	Logger *slog.Logger
}

// Found is what can be read of a database.
type Found struct {
	Damage     []string     // the places that are not as they were written
	Spans      []table.Span // the spans of keys that damaged blocks of tables may have held
	Blank      []string     // the parts of logs whose content is unknown
	Unreadable bool         // some file cannot be read at all
	Unlisted   bool         // there is no usable manifest, or it names a missing file: all files count

	sources   []*source
	deletions []table.Deletion
}

// Read finds what there is of the database in dir.
func Read(ctx context.Context, disk vfs.FS, dir string, o Options) (f *Found, err error) {
	folder, err := files.List(disk, dir)
	if err != nil {
		return nil, err
	}
	f = &Found{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	for _, name := range folder.Missing() {
		f.Damage = append(f.Damage, name+" is missing")
	}
	tables, logs, err := live(disk, dir, folder, o)
	if err != nil {
		o.Logger.Warn("the manifest cannot be used: all files of the database count, by what they hold", "folder", dir, "error", err)
		if !errors.Is(err, errUnlisted) {
			f.Damage = append(f.Damage, files.Explain(err))
		}
		tables, logs, f.Unlisted = nil, folder.Logs, true
		for _, name := range folder.Tables {
			tables = append(tables, listed{name: name})
		}
	}
	for _, t := range tables {
		if err := f.openTable(ctx, disk, dir, t); err != nil {
			return f, err
		}
	}
	for _, name := range logs {
		f.openLog(disk, dir, name)
	}
	if f.Unlisted {
		err = f.sort(ctx, o.Once)
	}
	return f, err
}

// Close closes the tables.
func (f *Found) Close() (err error) {
	for _, s := range f.sources {
		if s.table != nil {
			err = errors.Join(err, s.table.Close())
		}
	}
	return err
}

// Each calls fn for each key in order, with its latest value, until fn returns an error.
func (f *Found) Each(ctx context.Context, fn func(key, value []byte) error) error {
	return f.merge(ctx, func(versions []version) error {
		latest := version{}
		for _, v := range versions {
			if v.from.hides(v.Key) {
				continue
			}
			if latest.from == nil || v.Seq > latest.Seq || v.Seq == latest.Seq && v.from.number > latest.from.number {
				latest = v
			}
		}
		if latest.from == nil || latest.Deleted || f.dropped(latest.Entry) {
			return nil
		}
		return fn(latest.Key, latest.Value)
	})
}

// dropped reports whether a later deletion covers a version.
func (f *Found) dropped(e table.Entry) bool {
	return slices.ContainsFunc(f.deletions, func(d table.Deletion) bool {
		return d.Seq > e.Seq && bytes.Compare(d.From, e.Key) <= 0 && bytes.Compare(e.Key, d.To) < 0
	})
}

// version is a version of a key, and where it was found.
type version struct {
	table.Entry
	from *source
}

// merge calls fn for each key, with all its versions.
func (f *Found) merge(ctx context.Context, fn func([]version) error) error {
	type cursor struct {
		from *source
		next func() (table.Entry, error, bool)
		at   table.Entry
	}
	var open []*cursor
	for _, s := range f.sources {
		next, stop := iter.Pull2(s.entries(ctx))
		defer stop()
		open = append(open, &cursor{from: s, next: next})
	}
	advance := func(c *cursor) (bool, error) {
		e, err, ok := c.next()
		c.at = e
		return ok, err
	}
	ready := open[:0]
	for _, c := range open {
		if ok, err := advance(c); err != nil {
			return err
		} else if ok {
			ready = append(ready, c)
		}
	}
	for len(ready) > 0 {
		least := slices.MinFunc(ready, func(a, b *cursor) int { return bytes.Compare(a.at.Key, b.at.Key) }).at.Key
		var versions []version
		left := ready[:0]
		for _, c := range ready {
			ok := true
			for ok && bytes.Equal(c.at.Key, least) {
				versions = append(versions, version{c.at, c.from})
				var err error
				if ok, err = advance(c); err != nil {
					return err
				}
			}
			if ok {
				left = append(left, c)
			}
		}
		ready = left
		if err := fn(versions); err != nil {
			return err
		}
	}
	return nil
}

// sort works out, without a manifest, which files were made from which others.
func (f *Found) sort(ctx context.Context, once func(key []byte) bool) error {
	err := f.merge(ctx, func(versions []version) error {
		for _, v := range versions {
			if v.from.keys.From == nil {
				v.from.keys.From = v.Key
			}
			v.from.keys.To = table.After(v.Key)
		}
		if !once(versions[0].Key) {
			return nil
		}
		newest := slices.MaxFunc(versions, func(a, b version) int { return cmp.Compare(a.from.number, b.from.number) }).from
		if newest.table == nil && !newest.scanned {
			return nil
		}
		for _, v := range versions {
			if v.from != newest && !slices.Contains(newest.older, v.from) {
				newest.older = append(newest.older, v.from)
			}
		}
		return nil
	})
	for _, s := range f.sources {
		for _, o := range s.older {
			o.hidden = append(o.hidden, s.keys)
		}
	}
	return err
}
