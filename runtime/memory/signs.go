package memory

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// exactMax is the most vectors that are all compared with a need: it takes about a millisecond. Of
// more, only those with near signs are compared.
const exactMax = 4096

// nearMin and nearShare say how many of the vectors with the nearest signs are compared: one in
// nearShare, but at least nearMin.
const (
	nearMin   = 1024
	nearShare = 32
)

// signs tells quickly which of many vectors are worth comparing with a need. For each number of a
// vector it keeps whether it is above the mean at its place, because in most models each place has
// a mean of its own. The share of places in which two vectors differ grows with the angle between
// them: at a cosine of 0.5 it is a third, at 0 a half with a deviation of 2 in 100 at 768
// dimensions. So entries with a cosine of MinCosine or more are among the nearest, unless thousands
// of entries are as near.
type signs struct {
	words [][]uint64 // of slabRows rows each, one bit per number
	mean  []float32  // at each place; nil: there are too few rows
	limit []uint64   // for eight numbers each: the greatest bytes that are not above the mean
	of    int        // how many rows there were when the mean was taken
	fresh bool       // all signs were renewed, and the store does not have them yet
}

// perRow returns how many words a row takes.
func perRow(dimensions int) int { return (dimensions + 63) / 64 }

func (s *signs) row(n, words int) []uint64 {
	from := n % slabRows * words
	return s.words[n/slabRows][from : from+words : from+words]
}

// grow adds the signs of the last row. When the number of rows has doubled, the mean and all signs
// are renewed.
func (s *signs) grow(v *vectors) {
	switch n := len(v.slots); {
	case n <= exactMax:
	case s.due(n) && s.renew(v) == nil:
	case s.mean != nil: // if rows cannot be read, the mean stays as it was
		s.room(n)
		s.take(s.row(n-1, perRow(len(s.mean))), v.row(n-1))
	}
}

// due reports whether the signs of n rows are due to be renewed.
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

// meanRows is how many rows the mean is taken of: more would not improve it.
const meanRows = 4096

// renew takes the mean and makes all signs again. After an error nothing has changed, and it is
// next due when the rows have doubled.
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

// mean returns the mean at each place, of a sample of the rows. It does not depend on the order in
// which they are read.
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

// rowsUpTo returns every step-th row before n.
func rowsUpTo(n, step int) (rows []int32) {
	for row := 0; row < n; row += step {
		rows = append(rows, int32(row))
	}
	return rows
}

// limits makes the limits from the mean, in steps of the median scale.
func (s *signs) limits(v *vectors) {
	scales := slices.Sorted(slices.Values(v.scales))
	scale := max(scales[len(scales)/2], math.SmallestNonzeroFloat32)
	s.limit = make([]uint64, (len(s.mean)+7)/8)
	for i := range 8 * len(s.limit) {
		limit := float32(math.MaxInt8) // nothing is above this
		if i < len(s.mean) {
			limit = min(max(float32(math.Floor(float64(s.mean[i]/scale))), math.MinInt8), math.MaxInt8)
		}
		s.limit[i/8] |= uint64(byte(int8(limit))) << (i % 8 * 8)
	}
}

// tops is the top bit of each of eight bytes.
const tops = 0x8080808080808080

// take sets the signs of a row, eight numbers at a time. The scales of rows differ little, so a
// common limit gets only signs of numbers close to the mean wrong.
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

// above returns, in the eight lowest bits, for each of eight signed bytes whether it is greater
// than its limit.
func above(x, limit uint64) uint64 {
	a, b := x^tops, limit^tops // unsigned, these are in the order of the signed bytes
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

// ofNeed returns the signs of a need.
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

// nearest returns the smallest distance within which there are at least count rows.
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
