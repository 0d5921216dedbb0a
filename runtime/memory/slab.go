package memory

import "runtime"

// slabRows is how many rows are in one piece of memory.
const slabRows = 1024

// slabs is rows of equal length, in pieces that never move, so that growing copies nothing. The
// pieces are outside the garbage collector's heap: in it, they would let the rest of the process
// make as much garbage as they are large before the next collection.
type slabs struct {
	from   int // the first row; those before it are elsewhere
	width  int
	pieces []*slab
}

type slab struct{ numbers []byte }

func newSlab(size int) *slab {
	mem, free := reserve(size)
	s := &slab{numbers: mem}
	if free != nil {
		runtime.AddCleanup(s, func(mem []byte) { free(mem) }, mem)
	}
	return s
}

// row returns a row, for as long as the slabs are reachable.
func (s *slabs) row(n int) []byte {
	n -= s.from
	from := n % slabRows * s.width
	return s.pieces[n/slabRows].numbers[from : from+s.width : from+s.width]
}

// grow makes room for the next row. All rows have the same width.
func (s *slabs) grow(n, width int) {
	s.width = width
	if (n-s.from)/slabRows == len(s.pieces) {
		s.pieces = append(s.pieces, newSlab(slabRows*s.width))
	}
}

// drop frees the rows before from, and keeps those from there up to end.
func (s *slabs) drop(from, end int) {
	left := slabs{from: from}
	for n := from; n < end; n++ {
		left.grow(n, s.width)
		copy(left.row(n), s.row(n))
	}
	*s = left
}
