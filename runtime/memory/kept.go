package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/runtime/memory/index"
	"shelly/runtime/store/copies"
)

// Index is an Entries that also stores their index. It writes an entry and its part of the index in
// the same batch: whatever a crash leaves, the two agree. The keys are those of package index.
type Index interface {
	Entries
	// PutIndexed is PutEntry, and ForgetIndexed is ForgetEntries, with the changes that write sets.
	// If write is nil, both remove the mark that there is an index.
	PutIndexed(e fsm.Entry, write func(index.Set)) error
	ForgetIndexed(ids []string, write func(index.Set)) error
	// WriteIndex changes the index without an entry. Like PutIndexed it does not wait for a sync.
	WriteIndex(write func(index.Set)) error
	// DropIndex removes every key with one of the prefixes; without prefixes, every key.
	DropIndex(prefixes ...[]byte) error
	// ReadIndex calls fn for each key with a prefix, in order, until fn returns an error. Key and
	// value are valid until fn returns.
	ReadIndex(prefix []byte, fn func(key, value []byte) error) error
	// ReadIndexAt is ReadIndex for the given keys, which are in order; keys that do not exist are
	// skipped.
	ReadIndexAt(keys [][]byte, fn func(key, value []byte) error) error
	// LastIndex returns the last key with a prefix, or nil.
	LastIndex(prefix []byte) (key []byte, err error)
	// IndexWritable reports whether the store is open for writing.
	IndexWritable() bool
	// Vectors returns the file with copies of the vectors' rows that are in blocks. DropIndex
	// removes the file when it drops all of these rows.
	Vectors() *copies.File
}

// errNoIndex is the error when the index has to be rebuilt from the entries.
var errNoIndex = errors.New("there is no index of this version")

// kept is an index that is complete in the store.
type kept struct {
	in      Index
	writing *sync.Mutex // the memory's lock
}

// restore reads the index, except the postings of sealed segments. After errNoIndex or damage the
// memory is unchanged.
func (m *Memory) restore(ctx context.Context, k *kept) error {
	version, err := k.value(index.VersionKey())
	switch {
	case err != nil:
		return err
	case string(version) != index.Version:
		return errNoIndex
	}
	r := newMemory(m.entries, m.o)
	r.keywords.sealed = k.places
	var failed error
	var rows sync.WaitGroup // most of what is read
	rows.Go(func() { failed = r.vectors.restore(ctx, k) })
	err = errors.Join(r.restoreDocs(ctx, k), r.restoreTail(ctx, k))
	rows.Wait()
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	for _, at := range r.vectors.slots {
		if int(at) >= len(r.slots) || at >= 0 && r.slots[at].gone {
			return index.ErrMalformed
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.slots, m.names, m.keywords, m.vectors, m.shared, m.kept = r.slots, r.names, r.keywords, r.vectors, r.shared, k
	return nil
}

// value returns the value of a key, or nil.
func (k *kept) value(key []byte) (value []byte, err error) {
	err = k.in.ReadIndexAt([][]byte{key}, func(_, v []byte) error {
		value = slices.Clone(v)
		return nil
	})
	return value, err
}

// places appends the postings of a keyword in the sealed segments: with an error, those before it.
func (k *kept) places(term string, list []index.Posting) ([]index.Posting, error) {
	err := k.in.ReadIndex(index.TermPrefix(term), func(key, value []byte) error {
		more, err := index.ReadPostings(list, index.Number(key), value)
		if err == nil {
			list = more
		}
		return err
	})
	if err != nil {
		return list, fmt.Errorf("look up a keyword: %w", err)
	}
	return list, nil
}

// take adds a slot as the index describes it.
func (m *Memory) take(d index.Doc, about int32) {
	if d.Gone {
		m.slots = append(m.slots, slot{gone: true})
		m.keywords.lengths = append(m.keywords.lengths, 0)
		return
	}
	m.slot(d.ID, fsm.Millis(d.At), about, d.Blank)
}

// roomMax bounds the room that is allocated before reading: a damaged key may claim anything.
const roomMax = 1 << 20

// room returns how many slots or rows the values of a kind hold, each per value, judging by their
// last key. It is at most roomMax.
func (k *kept) room(kind byte, each int) (int, error) {
	key, err := k.in.LastIndex([]byte{kind})
	return min(roomMax, (index.Number(key)+1)*each), err
}

func (m *Memory) restoreDocs(ctx context.Context, k *kept) error {
	room, err := k.room(index.Docs, index.SegmentDocs)
	if err != nil {
		return err
	}
	room += index.SegmentDocs // for the tail
	m.slots, m.keywords.lengths = make([]slot, 0, room), make([]int32, 0, room)
	next := 0
	err = k.in.ReadIndex([]byte{index.Docs}, func(key, value []byte) error {
		if index.Number(key) != next {
			return index.ErrMalformed
		}
		if next++; next == 2 { // the names in later segments are about as long
			m.names = slices.Grow(m.names, len(m.names)*9/8*(room/index.SegmentDocs))
		}
		m.shared.Read(value)
		for range index.SegmentDocs {
			d, about := m.shared.Doc()
			m.take(d, about)
			if !d.Gone {
				m.keywords.note(len(m.slots)-1, d.Length)
			}
		}
		return errors.Join(ended(ctx), m.shared.End())
	})
	m.keywords.seal(next * index.SegmentDocs)
	return err
}

func (m *Memory) restoreTail(ctx context.Context, k *kept) error {
	return k.in.ReadIndex([]byte{index.Tail}, func(key, value []byte) error {
		at := index.Number(key)
		if at < len(m.slots) || at >= m.keywords.from+index.SegmentDocs {
			return index.ErrMalformed
		}
		for len(m.slots) < at { // slots of entries that are gone
			m.take(index.Doc{Gone: true}, 0)
		}
		m.shared.Read(value)
		d, about := m.shared.Doc()
		terms := m.shared.Terms()
		if err := m.shared.End(); err != nil || d.Gone {
			return cmp.Or(err, error(index.ErrMalformed))
		}
		m.take(d, about)
		m.keywords.put(at, terms)
		return ended(ctx)
	})
}

// restore reads the heads of all rows, and the numbers of rows that are in no block.
func (v *vectors) restore(ctx context.Context, k *kept) error {
	value, err := k.value(index.SpaceKey())
	if err != nil || value == nil {
		return err
	}
	if v.space.model, v.space.dimensions, err = index.ReadSpace(value); err != nil {
		return err
	}
	if err := v.restoreHeads(ctx, k); err != nil {
		return err
	}
	v.stored = &stored{in: k, rows: len(v.slots)}
	v.numbers.from = len(v.slots)
	return k.in.ReadIndex([]byte{index.LooseRow}, func(key, value []byte) error {
		n := len(v.slots)
		if index.Number(key) != n || len(value) != index.HeadBytes(0)+v.space.dimensions {
			return index.ErrMalformed
		}
		v.addHead(index.ReadHead(value, nil))
		v.numbers.grow(n, v.space.dimensions)
		copy(v.row(n), value[index.HeadBytes(0):])
		if s := &v.signs; s.mean != nil {
			s.room(n + 1)
			s.take(s.row(n, perRow(len(s.mean))), v.row(n))
		}
		return ended(ctx)
	})
}

func (v *vectors) restoreHeads(ctx context.Context, k *kept) error {
	mean, err := k.value(index.MeanKey())
	if err != nil {
		return err
	}
	s, words := &v.signs, 0
	if mean != nil {
		if s.mean, s.of, s.limit, err = index.ReadMean(mean, v.space.dimensions); err != nil {
			return err
		}
		words = perRow(v.space.dimensions)
	}
	room, err := k.room(index.Heads, index.HeadRows)
	if err != nil {
		return err
	}
	room += index.HeadRows // for rows in no block
	v.slots, v.scales, v.rows = make([]int32, 0, room), make([]float32, 0, room), make([]int32, 0, room)
	size := index.HeadBytes(words)
	return k.in.ReadIndex([]byte{index.Heads}, func(key, value []byte) error {
		if index.Number(key)*index.HeadRows != len(v.slots) || len(value) != index.HeadRows*size {
			return index.ErrMalformed
		}
		for ; len(value) > 0; value = value[size:] {
			var signs []uint64
			if words > 0 {
				s.room(len(v.slots) + 1)
				signs = s.row(len(v.slots), words)
			}
			v.addHead(index.ReadHead(value, signs))
		}
		return ended(ctx)
	})
}

// addHead adds the next row as the index describes it. Without a scale it is a vector without a
// direction, as earlier versions kept them.
func (v *vectors) addHead(slot uint32, scale float32) {
	at := -1
	if slot < slotsMax && scale != 0 {
		at = int(slot)
	}
	v.copyRow(at, scale)
}

// keep writes everything of the index that is not stored yet, and last the mark that it is
// complete.
func (k *kept) keep(ctx context.Context, m *Memory) error {
	e := m.edit()
	for at := m.keywords.from; at < len(m.slots); at++ {
		e.tail(at)
	}
	if err := k.in.WriteIndex(e.apply); err != nil {
		return err
	}
	return k.keepRows(ctx, m)
}

// keepRows writes the vectors, which are all in memory, and the mark that the index is complete.
func (k *kept) keepRows(ctx context.Context, m *Memory) error {
	v := &m.vectors
	const atOnce = 64 * index.HeadRows
	full := len(v.slots) / index.HeadRows * index.HeadRows
	for from := 0; from < len(v.slots); from += atOnce {
		write := func(set index.Set) {
			to := min(from+atOnce, len(v.slots))
			for n := from; n < min(to, full); n += index.BlockRows {
				var value []byte
				for i := range index.BlockRows {
					value = append(value, v.row(n+i)...)
				}
				set(index.Key(index.Rows, n/index.BlockRows), value)
			}
			for n := max(from, full); n < to; n++ {
				set(index.Key(index.LooseRow, n), v.at(n).loose())
			}
		}
		if err := errors.Join(ended(ctx), k.in.WriteIndex(write)); err != nil {
			return err
		}
	}
	if err := k.keepHeads(v); err != nil {
		return err
	}
	err := k.in.WriteIndex(func(set index.Set) {
		if v.space != (space{}) {
			set(index.SpaceKey(), index.AppendSpace(nil, v.space.model, v.space.dimensions))
		}
		set(index.VersionKey(), []byte(index.Version))
	})
	if err == nil {
		k.laid(m)
	}
	return err
}

// keepHeads writes the heads of all blocks, and the mean that their signs are relative to.
func (k *kept) keepHeads(v *vectors) error {
	v.signs.fresh = false
	return k.in.WriteIndex(func(set index.Set) {
		if s := &v.signs; s.mean != nil {
			set(index.MeanKey(), index.AppendMean(nil, s.mean, s.of, s.limit))
		}
		for n := 0; n+index.HeadRows <= len(v.slots); n += index.HeadRows {
			var value []byte
			for i := range index.HeadRows {
				value = v.at(n + i).head(value)
			}
			set(index.Key(index.Heads, n/index.HeadRows), value)
		}
	})
}

// dropVectors drops the stored vectors, and the mark that the index is complete.
func (k *kept) dropVectors() error {
	return k.in.DropIndex(index.VersionKey(), index.SpaceKey(), index.MeanKey(), []byte{index.Heads}, []byte{index.Rows}, []byte{index.LooseRow})
}

// settle writes what has become due with a new entry: heads if the signs were all renewed, blocks
// of rows, and a segment.
func (k *kept) settle(m *Memory) error {
	if m.vectors.signs.fresh {
		if err := k.keepHeads(&m.vectors); err != nil {
			return err
		}
	}
	if v := &m.vectors; len(v.slots) >= v.firstAtHand()+index.HeadRows {
		k.laid(m)
	}
	return k.seal(m)
}

// seal turns the tail into a segment once it is long enough.
func (k *kept) seal(m *Memory) error {
	from := m.keywords.from
	if len(m.slots)-from < index.SegmentDocs {
		return nil
	}
	e, segment := m.edit(), from/index.SegmentDocs
	for n, name := range m.keywords.names {
		if list := m.keywords.postings[n]; len(list) > 0 {
			e.set(index.PostingsKey(name, segment), index.AppendPostings(nil, segment, list))
		}
	}
	e.docs(segment)
	for at := from; at < from+index.SegmentDocs; at++ {
		e.set(index.Key(index.Tail, at), nil)
	}
	if err := k.in.WriteIndex(e.apply); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keywords.seal(from + index.SegmentDocs)
	m.keywords.sealed = k.places
	return nil
}

// slotsMax is more than the number of slots ever needed.
const slotsMax = 1 << 28

// ended returns errClosed once ctx has ended.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return errClosed
	}
	return nil
}
