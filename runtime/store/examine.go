package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"shelly/runtime/store/files"
	"shelly/runtime/store/table"
)

// Examination is the result of reading a whole store (JRN-30).
type Examination struct {
	Blocks  int      `json:"blocks"` // in all tables
	Bytes   int64    `json:"bytes"`  // of all blocks
	Values  int      `json:"values"`
	Damage  []string `json:"damage"`  // the places that are not as they were written; empty: there are none
	Held    []string `json:"held"`    // what those places may have held, where that is not known exactly
	Missing []string `json:"missing"` // what is missing
}

// Err returns nil if everything is as it was written, or an ErrCorrupt that names what is not.
func (x Examination) Err() error {
	if len(x.Damage) == 0 && len(x.Missing) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrCorrupt, x)
}

// named is how many items of each list one message names.
const named = 12

func (x Examination) String() string {
	var parts []string
	for _, p := range []struct {
		what string
		list []string
	}{{"not as it was written: ", x.Damage}, {"lost: ", x.Missing}, {"it may have held: ", x.Held}} {
		if len(p.list) == 0 {
			continue
		}
		text := strings.Join(p.list[:min(named, len(p.list))], ", ")
		if more := len(p.list) - named; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, p.what+text)
	}
	return strings.Join(parts, "; ")
}

// Examine reads every block of every table and every value of a store that is open read-only, and
// names what is not as it was written. The error is why it could not go on.
func (s *Store) Examine(ctx context.Context) (x Examination, err error) {
	if err := s.usable(); err != nil {
		return x, err
	}
	x.Damage, x.Held, x.Missing = []string{}, []string{}, []string{}
	if err := s.examineRest(&x); err != nil {
		return x, err
	}
	spans, err := s.damagedBlocks(ctx, nil, nil, &x)
	if err != nil {
		return x, err
	}
	v := &values{store: s, out: &x}
	for _, gap := range table.Gaps(spans, nil, nil) {
		if err := s.around(ctx, gap, v.check); unreadable(err) {
			x.Damage = append(x.Damage, files.Explain(err))
		} else if err != nil {
			return x, err
		}
	}
	v.end()
	for _, span := range spans {
		x.Held = append(x.Held, held(span)...)
	}
	slices.Sort(x.Held)
	x.Held = slices.Compact(x.Held)
	return x, nil
}

// examineRest checks the files that have no blocks. Those that matter were read when the store was
// opened.
func (s *Store) examineRest(x *Examination) error {
	if _, err := readAnchor(s.fs, s.dir); errors.Is(err, ErrCorrupt) {
		x.Damage = append(x.Damage, anchorName)
	} else if err != nil {
		return err
	}
	list, err := s.brokenSeal()
	for _, text := range list {
		name, _, _ := strings.Cut(text, " ")
		x.Damage = append(x.Damage, name)
	}
	return err
}

// damagedBlocks reads the blocks of the tables with keys in [from, to), and returns the spans of
// the damaged ones, in order.
func (s *Store) damagedBlocks(ctx context.Context, from, to []byte, x *Examination) (spans []table.Span, err error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return nil, classify(err)
	}
	for _, level := range levels {
		for _, info := range level {
			whole := table.Span{From: info.Smallest.UserKey, To: table.After(info.Largest.UserKey)}
			if whole.Meets(from, to) {
				found, err := s.damagedBlocksOf(ctx, tableName(info), whole, x)
				if err != nil {
					return nil, err
				}
				spans = append(spans, found...)
			}
		}
	}
	slices.SortFunc(spans, func(a, b table.Span) int {
		return cmp.Or(bytes.Compare(a.From, b.From), bytes.Compare(a.To, b.To))
	})
	return spans, nil
}

// damagedBlocksOf is damagedBlocks for one table, whose keys are in whole.
func (s *Store) damagedBlocksOf(ctx context.Context, name string, whole table.Span, x *Examination) (spans []table.Span, err error) {
	t, err := table.Open(ctx, s.fs, s.dir, name)
	if err != nil {
		x.Blocks++
		x.Damage = append(x.Damage, name+" as a whole")
		return []table.Span{whole}, nil
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	bad, err := t.Damaged(ctx)
	for _, b := range bad {
		x.Damage = append(x.Damage, fmt.Sprintf("%s at byte %d", name, b.Offset))
		if b.Keys.From == nil {
			b.Keys.From = whole.From
		}
		spans = append(spans, b.Keys)
	}
	blocks, read := t.Blocks()
	x.Blocks, x.Bytes = x.Blocks+blocks, x.Bytes+read
	return spans, err
}

// around calls fn for each key and value in a gap between damaged blocks. For the last keys before
// a damaged block the database may have to read that block as well, and then fails; so the rest of
// the gap is read again without its last key, to see what other tables hold there.
func (s *Store) around(ctx context.Context, gap table.Span, fn func(key []byte, v stored)) error {
	from := gap.From
	read := func(to []byte) error {
		return s.scan(from, to, func(key []byte, v stored) error {
			fn(key, v)
			from = table.After(key)
			return ctx.Err()
		})
	}
	err := read(gap.To)
	if !unreadable(err) || gap.To == nil {
		return err
	}
	before := bytes.TrimSuffix(gap.To, []byte{0})
	if bytes.Compare(from, before) >= 0 {
		return nil
	}
	if err := read(before); !unreadable(err) {
		return err
	}
	return nil
}

// unreadable reports whether an error says that a part of a file is damaged, cannot be read
// or is not there.
func unreadable(err error) bool {
	return pebble.IsCorruptionError(err) || errors.Is(err, syscall.EIO) || errors.Is(err, fs.ErrNotExist)
}

// metMax is how many places of damage are remembered.
const metMax = 16

// places is the damage that was found since the store was opened.
type places struct {
	mu  sync.Mutex
	all []string
}

// note remembers where an error found damage, in words, and reports whether that was not known yet.
func (m *places) note(err error) (place string, fresh bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	place = files.Explain(err)
	if len(m.all) >= metMax || slices.Contains(m.all, place) {
		return place, false
	}
	m.all = append(m.all, place)
	return place, true
}

// Damage returns, in words, where damage was found since the store was opened, at most 16 places
// (JRN-30).
func (s *Store) Damage() []string {
	s.damage.mu.Lock()
	defer s.damage.mu.Unlock()
	return slices.Clone(s.damage.all)
}
