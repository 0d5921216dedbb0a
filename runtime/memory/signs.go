package memory

import "math/bits"

// exactMax is how many vectors are all compared with a need: it takes about a
// millisecond. Of more, only those are whose signs are near.
const exactMax = 4096

// nearMin and nearShare are how many of the vectors with the nearest signs are
// compared: one in nearShare, and at least nearMin.
const (
	nearMin   = 1024
	nearShare = 32
)

// signs tells quickly which of many vectors are worth to be compared with a need. Of
// each number it keeps whether it is above the mean of its place, which most models
// give a value of its own. The share of places in which two vectors differ grows with
// the angle between them: at a cosine of 0.5 a third of them, at 0 a half with a
// spread of 2 in 100 at 768 dimensions. What MinCosine asks for is therefore among the
// nearest unless thousands of entries are as near.
type signs struct {
	words []uint64  // of each row, one bit a number
	mean  []float32 // of each number; nil: there are too few rows
	of    int       // rows that the mean was taken of
}

// perRow is how many words a row takes.
func perRow(dimensions int) int { return (dimensions + 63) / 64 }

// grow takes in the last row. When the rows have doubled, the mean and all signs are
// made again.
func (s *signs) grow(v *vectors) {
	n := len(v.slots)
	switch {
	case n <= exactMax:
		*s = signs{}
	case s.mean == nil || n >= 2*s.of:
		s.renew(v)
	default:
		row := n - 1
		s.words = s.set(s.words[:row*perRow(v.space.dimensions)], v.row(row), v.scales[row])
	}
}

func (s *signs) renew(v *vectors) {
	d, n := v.space.dimensions, len(v.slots)
	sums := make([]float64, d)
	for row := range n {
		scale := float64(v.scales[row])
		for i, x := range v.row(row) {
			sums[i] += float64(x) * scale
		}
	}
	s.mean, s.of = make([]float32, d), n
	for i, sum := range sums {
		s.mean[i] = float32(sum / float64(n))
	}
	s.words = make([]uint64, 0, 2*n*perRow(d))
	for row := range n {
		s.words = s.set(s.words, v.row(row), v.scales[row])
	}
}

// set appends the signs of a row.
func (s *signs) set(words []uint64, row []int8, scale float32) []uint64 {
	for from := 0; from < len(row); from += 64 {
		var word uint64
		for i, x := range row[from:min(from+64, len(row))] {
			if float32(x)*scale > s.mean[from+i] {
				word |= 1 << i
			}
		}
		words = append(words, word)
	}
	return words
}

// move puts the last row in the place of another.
func (s *signs) move(row, last int) {
	if s.mean == nil {
		return
	}
	w := perRow(len(s.mean))
	copy(s.words[row*w:(row+1)*w], s.words[last*w:(last+1)*w])
	s.words = s.words[:last*w]
}

// near returns the rows to compare with a need, in ascending order.
func (s *signs) near(v *vectors, q query) []int32 {
	n := len(v.slots)
	if s.mean == nil {
		rows := make([]int32, n)
		for row := range rows {
			rows[row] = int32(row)
		}
		return rows
	}
	distances := s.distances(n, s.ofNeed(q))
	limit := nearest(distances, len(s.mean), max(nearMin, n/nearShare))
	var rows []int32
	for row, d := range distances {
		if d <= limit {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// ofNeed is the signs of a need.
func (s *signs) ofNeed(q query) []uint64 {
	words := make([]uint64, perRow(len(s.mean)))
	for i, x := range q.unit {
		if x > s.mean[i] {
			words[i/64] |= 1 << (i % 64)
		}
	}
	return words
}

// distances returns in how many places each row differs from a need.
func (s *signs) distances(n int, need []uint64) []uint16 {
	list := make([]uint16, n)
	w := len(need)
	inShares(n, share/max(1, w), func(from, to int) {
		for row := from; row < to; row++ {
			d := 0
			for i, word := range s.words[row*w : (row+1)*w] {
				d += bits.OnesCount64(word ^ need[i])
			}
			list[row] = uint16(d)
		}
	})
	return list
}

// nearest returns the distance up to which at least count rows lie.
func nearest(distances []uint16, most, count int) uint16 {
	at := make([]int, most+1)
	for _, d := range distances {
		at[d]++
	}
	for d, n := range at {
		if count -= n; count <= 0 {
			return uint16(d)
		}
	}
	return uint16(most)
}
