package memory

import (
	"slices"
	"sync"

	"shelly/runtime/memory/index"
)

// stored is the rows of vectors that lie in the store, and are read when they are compared.
type stored struct {
	in   *kept
	rows int // the first ones; the others are at hand

	mu     sync.Mutex // guards what is below, and the rows until they are at hand
	loaded []bool     // by block
}

// fetch makes rows at hand. It may be called by several at once.
func (v *vectors) fetch(rows []int32) error {
	s := v.stored
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []int // blocks
	for _, row := range rows {
		if block := int(row) / index.BlockRows; int(row) < s.rows && !s.loaded[block] {
			s.loaded[block] = true
			missing = append(missing, block)
		}
	}
	err := s.read(v, missing)
	if err != nil {
		for _, block := range missing {
			s.loaded[block] = false
		}
	}
	return err
}

// read reads blocks.
func (s *stored) read(v *vectors, blocks []int) error {
	slices.Sort(blocks)
	keys := make([][]byte, len(blocks))
	for i, block := range blocks {
		keys[i] = index.Key(index.Rows, block)
	}
	read := 0
	err := s.in.in.ReadIndexAt(keys, func(key, value []byte) error {
		read++
		return v.setBlock(index.Number(key), value)
	})
	if err == nil && read < len(blocks) {
		return index.ErrMalformed
	}
	return err
}

// setBlock takes in the numbers of a block.
func (v *vectors) setBlock(block int, value []byte) error {
	d := v.space.dimensions
	if len(value) != index.BlockRows*d {
		return index.ErrMalformed
	}
	for i := range index.BlockRows {
		copy(v.row(block*index.BlockRows+i), value[i*d:])
	}
	return nil
}

// fetchFrom makes some rows at hand, from one on and before another.
func (v *vectors) fetchFrom(from, to int) error {
	var rows []int32
	for ; from < min(to, len(v.slots)); from++ {
		rows = append(rows, int32(from))
	}
	return v.fetch(rows)
}
