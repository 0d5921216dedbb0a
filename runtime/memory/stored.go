package memory

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"shelly/runtime/memory/index"
)

// stored is the rows of vectors that are in the store and not in memory. To compare them they are
// read from their copies in a file beside the store. A row without a good copy is read from the
// store, and its copy is written (MEM-7).
type stored struct {
	in   *kept
	rows int // how many: the first ones, in whole blocks of heads; the later ones are in memory
}

// readBytesMax is how many bytes of the copies one read may take, and readGapMax how many unwanted
// rows are read along with those around them rather than skipped.
const (
	readBytesMax = 32 << 10
	readGapMax   = 1
)

// read calls fn for each of the given rows that belongs to an entry. The rows are in ascending
// order; i is the index in rows, and numbers are valid until fn returns. Calls of fn may be
// concurrent.
func (v *vectors) read(rows []int32, fn func(i int, numbers []byte)) error {
	var mu sync.Mutex
	var missing []int // indexes in rows
	inShares(len(rows), share/max(1, v.space.dimensions), func(from, to int) {
		some := v.readCopies(rows, from, to, fn)
		mu.Lock()
		defer mu.Unlock()
		missing = append(missing, some...)
	})
	runtime.KeepAlive(v) // owns the rows that were read
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return v.stored.read(v, rows, missing, fn)
}

// readCopies is read for rows[from:to], and returns the indexes of those that have no good copy.
func (v *vectors) readCopies(rows []int32, from, to int, fn func(i int, numbers []byte)) (missing []int) {
	c := copyReader{v: v, size: index.CopyBytes(v.space.dimensions)}
	for i := from; i < to; i++ {
		switch row := int(rows[i]); {
		case v.slots[row] < 0:
		case !v.lies(row):
			fn(i, v.row(row))
		default:
			if numbers, ok := c.read(rows[i:to]); ok {
				fn(i, numbers)
			} else {
				missing = append(missing, i)
			}
		}
	}
	return missing
}

// firstAtHand returns the first row that is in memory: all before it are in the store.
func (v *vectors) firstAtHand() int {
	if v.stored == nil {
		return 0
	}
	return v.stored.rows
}

// lies reports whether a row is in the store, and not in memory.
func (v *vectors) lies(row int) bool { return row < v.firstAtHand() }

// copyReader reads the copies of rows.
type copyReader struct {
	v     *vectors
	size  int // of a copy
	first int // the first row in text
	text  []byte
	words []uint64 // signs
}

// read returns the numbers of the first of some rows. It reads ahead to the rows close after it.
func (c *copyReader) read(rows []int32) ([]byte, bool) {
	row := int(rows[0])
	if row < c.first || row >= c.first+len(c.text)/c.size {
		c.fill(rows)
	}
	at := (row - c.first) * c.size
	if at+c.size > len(c.text) {
		return nil, false
	}
	v := c.v
	numbers, ok := index.ReadCopy(c.text[at:at+c.size], uint32(v.slots[row]), v.scales[row])
	if !ok || v.signs.mean == nil {
		return numbers, ok
	}
	// The copy of an earlier row with this slot would have other signs.
	if c.words == nil {
		c.words = v.noSigns()
	}
	v.signs.take(c.words, numbers)
	return numbers, slices.Equal(c.words, v.signs.row(row, len(c.words)))
}

// fill reads copies, from the first of some rows on.
func (c *copyReader) fill(rows []int32) {
	last := rows[0]
	for _, row := range rows {
		if int(row) >= c.v.stored.rows || row-last > 1+readGapMax || int(row-rows[0]+1)*c.size > max(c.size, readBytesMax) {
			break
		}
		last = row
	}
	c.first = int(rows[0])
	n := int(last-rows[0]+1) * c.size
	c.text = slices.Grow(c.text[:0], n)[:n]
	n, _ = c.v.stored.in.in.Vectors().Read(c.text, int64(c.first)*int64(c.size)) // a copy that cannot be read counts as missing
	c.text = c.text[:n]
}

// read calls fn for the rows at the indexes missing, reading them from the store.
func (s *stored) read(v *vectors, rows []int32, missing []int, fn func(i int, numbers []byte)) error {
	d := v.space.dimensions
	var keys [][]byte
	for _, i := range missing {
		if key := index.Key(index.Rows, int(rows[i])/index.BlockRows); len(keys) == 0 || !bytes.Equal(key, keys[len(keys)-1]) {
			keys = append(keys, key)
		}
	}
	// Needs writing, so that nothing that is forgotten at the same time is copied again.
	mend := s.in.copies() && s.in.writing.TryLock()
	if mend {
		defer s.in.writing.Unlock()
	}
	left := missing
	err := s.in.in.ReadIndexAt(keys, func(key, value []byte) error {
		if len(value) != index.BlockRows*d {
			return index.ErrMalformed
		}
		for block := index.Number(key); len(left) > 0 && int(rows[left[0]])/index.BlockRows == block; left = left[1:] {
			row := int(rows[left[0]])
			numbers := value[row%index.BlockRows*d:][:d]
			fn(left[0], numbers)
			if mend {
				mend = s.in.copy(v, row, numbers) == nil
			}
		}
		return nil
	})
	if err == nil && len(left) > 0 {
		return index.ErrMalformed
	}
	return err
}

// block returns the numbers of a block.
func (s *stored) block(block, dimensions int) ([]byte, error) {
	value, err := s.in.value(index.Key(index.Rows, block))
	if err == nil && len(value) != index.BlockRows*dimensions {
		err = index.ErrMalformed
	}
	return value, err
}

// copies reports whether copies may be written: below the reserve the disk has no room for what is
// dispensable. A writer of copies holds writing.
func (k *kept) copies() bool { return k.in.IndexWritable() && k.in.Space() == nil }

// copy writes the copy of a row.
func (k *kept) copy(v *vectors, row int, numbers []byte) error {
	size := index.CopyBytes(v.space.dimensions)
	return k.in.Vectors().Write(index.AppendCopy(nil, uint32(v.slots[row]), v.scales[row], numbers), int64(row)*int64(size))
}

// copyBlock appends the copies of the rows in a block of heads, with zeros for rows without an
// entry.
func (v *vectors) copyBlock(b []byte, first int, numbers func(row int) []byte) []byte {
	for row := first; row < first+index.HeadRows; row++ {
		if v.slots[row] < 0 {
			b = append(b, make([]byte, index.CopyBytes(v.space.dimensions))...)
		} else {
			b = index.AppendCopy(b, uint32(v.slots[row]), v.scales[row], numbers(row))
		}
	}
	return b
}

// laid notes that the rows of all whole blocks are in the store: it copies them and frees them from
// memory.
func (k *kept) laid(m *Memory) {
	v := &m.vectors // the caller holds writing
	from, full := v.firstAtHand(), len(v.slots)/index.HeadRows*index.HeadRows
	size := index.CopyBytes(v.space.dimensions)
	if k.copies() {
		var err error
		for first := from; first < full && err == nil; first += index.HeadRows {
			err = k.in.Vectors().Write(v.copyBlock(nil, first, v.row), int64(first)*int64(size))
		} // rows that were not copied are read from the store
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	v.stored = &stored{in: k, rows: full}
	v.numbers.drop(full, len(v.slots))
}

// complete copies the rows that are in the store but not in the file, such as those of a store
// written before the file existed.
func (m *Memory) complete(ctx context.Context) error {
	for done := false; !done; {
		if err := ended(ctx); err != nil {
			return err
		}
		var err error
		if done, err = m.copyNext(); err != nil {
			return err
		}
	}
	return nil
}

// copyNext copies some rows, and reports whether all are copied.
func (m *Memory) copyNext() (done bool, err error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	v := &m.vectors // writing is held
	if m.kept == nil || v.stored == nil || v.stored.rows == 0 || !m.kept.copies() {
		return true, nil
	}
	d := v.space.dimensions
	size := index.HeadRows * index.CopyBytes(d)
	there, err := m.kept.in.Vectors().Bytes()
	if err != nil || int(there) >= v.stored.rows/index.HeadRows*size {
		return true, err
	}
	first := int(there) / size * index.HeadRows
	var numbers []byte
	for block := first / index.BlockRows; block < (first+index.HeadRows)/index.BlockRows; block++ {
		value, failed := v.stored.block(block, d)
		err = cmp.Or(err, failed)
		numbers = append(numbers, value...)
	}
	if err != nil {
		return true, err
	}
	text := v.copyBlock(nil, first, func(row int) []byte { return numbers[(row-first)*d:][:d] })
	return false, m.kept.in.Vectors().Write(text, int64(first/index.HeadRows)*int64(size))
}

// erase removes from the disk the copies of the rows of some slots, and of all rows without an
// entry. If that fails it removes the file.
func (k *kept) erase(v *vectors, slots []int) error {
	f := k.in.Vectors()
	there, err := f.Bytes()
	if err == nil && there == 0 {
		return nil
	}
	gone := make([]bool, len(v.slots))
	for row, slot := range v.slots {
		gone[row] = slot < 0
	}
	for _, at := range slots {
		if row := v.of(at); row >= 0 {
			gone[row] = true
		}
	}
	zeros := make([]byte, index.CopyBytes(v.space.dimensions))
	for row := range gone {
		if at := int64(row) * int64(len(zeros)); gone[row] && at < there && err == nil {
			err = f.Write(zeros, at)
		}
	}
	if cmp.Or(err, f.Sync()) != nil {
		return f.Remove()
	}
	return nil
}
