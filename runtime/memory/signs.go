package memory

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

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
	words [][]uint64 // of slabRows rows each, one bit a number
	mean  []float32  // of each number; nil: there are too few rows
	limit []uint64   // of eight numbers each: the bytes up to which they are not above the mean
	of    int        // rows when the mean was taken
	fresh bool       // they were all made again, and the store has not got them
}

// perRow is how many words a row takes.
func perRow(dimensions int) int { return (dimensions + 63) / 64 }

// row returns the signs of a row.
func (s *signs) row(n, words int) []uint64 {
	from := n % slabRows * words
	return s.words[n/slabRows][from : from+words : from+words]
}

// grow takes in the last row. When the rows have doubled, the mean and all signs are
// made again.
func (s *signs) grow(v *vectors) {
	switch n := len(v.slots); {
	case n <= exactMax:
	case s.due(n) && s.renew(v) == nil:
	case s.mean != nil: // where rows cannot be read the mean stays as it was
		s.room(n)
		s.take(s.row(n-1, perRow(len(s.mean))), v.row(n-1))
	}
}

// due reports whether the signs of n rows are to be made again.
func (s *signs) due(n int) bool { return n > exactMax && (s.mean == nil || n >= 2*s.of) }

// clear drops the signs of a row.
func (s *signs) clear(row int) {
	if s.mean != nil {
		clear(s.row(row, perRow(len(s.mean))))
	}
}

// room makes room for the signs of n rows.
func (s *signs) room(n int) {
	for len(s.words)*slabRows < n {
		s.words = append(s.words, make([]uint64, slabRows*perRow(len(s.mean))))
	}
}

// meanRows is how many rows the mean is taken of: more make it no better.
const meanRows = 4096

// renew takes the mean, and makes all signs. On an error nothing has changed, and it is due
// again once the rows have doubled.
func (s *signs) renew(v *vectors) error {
	n := len(v.slots)
	s.of = n
	mean, err := v.mean()
	if err != nil {
		return err
	}
	made := signs{fresh: true, of: n, mean: mean}
	made.limits(v)
	made.room(n)
	rows := rowsUpTo(n, 1)
	err = v.read(rows, func(i int, numbers []byte) {
		made.take(made.row(i, perRow(len(mean))), numbers)
	})
	if err == nil {
		*s = made
	}
	return err
}

// mean is that of each number, of as many rows as make it good. It is the same in any order in
// which these are read.
func (v *vectors) mean() ([]float32, error) {
	sampled := rowsUpTo(len(v.slots), max(1, len(v.slots)/meanRows))
	d := v.space.dimensions
	numbers := make([]byte, len(sampled)*d)
	if err := v.read(sampled, func(i int, of []byte) { copy(numbers[i*d:], of) }); err != nil {
		return nil, err
	}
	sums := make([]float64, d)
	taken := 0
	for at, row := range sampled {
		if scale := float64(v.scales[row]); scale != 0 {
			taken++
			for i, x := range numbers[at*d:][:d] {
				sums[i] += float64(int8(x)) * scale
			}
		}
	}
	mean := make([]float32, d)
	for i, sum := range sums {
		mean[i] = float32(sum / float64(max(1, taken)))
	}
	return mean, nil
}

// rowsUpTo is each row before one, or one in so many of them.
func rowsUpTo(n, step int) (rows []int32) {
	for row := 0; row < n; row += step {
		rows = append(rows, int32(row))
	}
	return rows
}

// limits makes the limits of the mean, in steps of a scale that is common.
func (s *signs) limits(v *vectors) {
	scales := slices.Sorted(slices.Values(v.scales))
	scale := max(scales[len(scales)/2], math.SmallestNonzeroFloat32)
	s.limit = make([]uint64, (len(s.mean)+7)/8)
	for i := range 8 * len(s.limit) {
		limit := float32(math.MaxInt8) // which nothing is above
		if i < len(s.mean) {
			limit = min(max(float32(math.Floor(float64(s.mean[i]/scale))), math.MinInt8), math.MaxInt8)
		}
		s.limit[i/8] |= uint64(byte(int8(limit))) << (i % 8 * 8)
	}
}

// tops is the top bit of each of eight bytes.
const tops = 0x8080808080808080

// take sets the signs of a row, eight numbers at a time. Their scales differ little: what is
// the other way for that is next to the mean.
func (s *signs) take(words []uint64, numbers []byte) {
	clear(words)
	for i, limit := range s.limit {
		var eight uint64
		if from := 8 * i; from+8 <= len(numbers) {
			eight = binary.LittleEndian.Uint64(numbers[from:])
		} else {
			for k, x := range numbers[from:] {
				eight |= uint64(x) << (8 * k)
			}
		}
		words[i/8] |= above(eight, limit) << (i % 8 * 8)
	}
}

// above returns for each of eight signed bytes whether it is more than the other's, in the
// eight lowest bits.
func above(x, limit uint64) uint64 {
	a, b := x^tops, limit^tops // whose order as unsigned bytes is theirs as signed ones
	less := ((b | tops) - (a &^ tops)) ^ ((b ^ ^a) & tops)
	is := ((^b & a) | (^(b ^ a) & less)) & tops
	return is >> 7 * 0x0102040810204080 >> 56
}

// near returns the rows to compare with a need, in ascending order.
func (s *signs) near(v *vectors, q query) []int32 {
	n := len(v.slots)
	if s.mean == nil {
		return rowsUpTo(n, 1)
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
			for i, word := range s.row(row, w) {
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
