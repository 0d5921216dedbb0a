package memory

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"shelly/fsm"
)

// MinCosine is the least cosine between a need and an entry at which the entry counts as being
// about the need. With common embedding models, unrelated texts reach 0.3 to 0.5.
const MinCosine = 0.5

// space is what vectors must share to be comparable. The zero space stands for no vector.
type space struct {
	model      string
	dimensions int
}

// spaceOf returns the space of an entry's vector: its model and dimension (MEM-3). A vector without
// a direction, which nothing can be compared with, is none.
func spaceOf(e fsm.Entry) space {
	if _, ok := length(e.Vector); !ok {
		return space{}
	}
	return space{model: e.Model, dimensions: len(e.Vector) / 4}
}

// vectors holds the vectors of one space compactly: each number in a byte, and among many vectors
// its sign in a bit.
type vectors struct {
	space   space
	slots   []int32 // the slot of each row; -1: its entry is gone
	rows    []int32 // the row of each slot, from 1; 0: it has none
	scales  []float32
	numbers slabs // of each row, in steps of its scale
	gone    int   // how many rows have lost their entry
	signs   signs
	stored  *stored // the first rows; nil: all are in memory
}

// row is a vector in steps of a scale.
type row struct {
	scale   float32
	numbers []byte // each an int8
}

// compact returns the row of an entry, or false if the entry has no vector of this space.
func (v *vectors) compact(e fsm.Entry) (row, bool) {
	if v.space == (space{}) || spaceOf(e) != v.space {
		return row{}, false
	}
	r := row{numbers: make([]byte, v.space.dimensions)}
	u, _ := unit(e.Vector) // has a direction (spaceOf)
	step := steps(u, math.MaxInt8)
	var square float64
	for i, x := range u {
		n := math.RoundToEven(float64(x / step))
		square += n * n
		r.numbers[i] = byte(int8(n))
	}
	// With this scale rather than the step the rounded vector has length 1 again.
	r.scale = float32(1 / math.Sqrt(square))
	return r, true
}

// put adds the entry's vector, if it has one of this space.
func (v *vectors) put(slot int, e fsm.Entry) {
	if r, ok := v.compact(e); ok {
		v.add(slot, r)
		v.signs.grow(v)
	}
}

// add adds the next row, without its signs.
func (v *vectors) add(slot int, r row) {
	v.copyRow(slot, r.scale)
	v.numbers.grow(len(v.slots)-1, v.space.dimensions)
	copy(v.row(len(v.slots)-1), r.numbers)
}

// copyRow adds the next row, without its numbers. Slot -1 stands for an entry that is gone.
func (v *vectors) copyRow(slot int, scale float32) {
	n := len(v.slots)
	v.slots, v.scales = append(v.slots, int32(slot)), append(v.scales, scale)
	if slot < 0 {
		v.gone++
		return
	}
	for len(v.rows) <= slot {
		v.rows = append(v.rows, 0)
	}
	v.rows[slot] = int32(n + 1)
}

// of returns the row of a slot, or -1.
func (v *vectors) of(slot int) int {
	if slot >= len(v.rows) {
		return -1
	}
	return int(v.rows[slot]) - 1
}

// count returns how many entries can be found by their vector.
func (v *vectors) count() int { return len(v.slots) - v.gone }

// steps returns the size of a step such that the greatest number of a vector is most steps.
func steps(u []float32, most float32) float32 {
	var greatest float32
	for _, x := range u {
		greatest = max(greatest, x, -x)
	}
	return greatest / most
}

// row returns the numbers of a row that is in memory.
func (v *vectors) row(row int) []byte { return v.numbers.row(row) }

// remove drops a slot's vector. Its row stays, unused.
func (v *vectors) remove(slot int) {
	n := v.of(slot)
	if n < 0 {
		return
	}
	if !v.lies(n) {
		clear(v.row(n))
	}
	v.signs.clear(n)
	v.slots[n], v.scales[n], v.rows[slot] = -1, 0, 0
	v.gone++
}

// query is what entries are compared with: a unit vector, in steps.
type query struct {
	unit    []float32
	numbers []int16
	scale   float32
}

func newQuery(u []float32) query {
	q := query{unit: u, numbers: make([]int16, len(u)), scale: steps(u, math.MaxInt16)}
	for i, x := range u {
		q.numbers[i] = int16(math.RoundToEven(float64(x / q.scale)))
	}
	return q
}

// search calls found for each wanted entry with a cosine of at least MinCosine; among more than
// exactMax entries, only for those that signs finds likely. The need is a unit vector of this
// space; a nil wanted wants every entry.
func (v *vectors) search(need []float32, wanted func(slot int) bool, found func(hit)) error {
	q := newQuery(need)
	rows := v.signs.near(v, q)
	if wanted != nil { // few are wanted, and a near one among them may be far down among all
		rows = nil
		for row, slot := range v.slots {
			if slot >= 0 && wanted(int(slot)) {
				rows = append(rows, int32(row))
			}
		}
	}
	cosines := make([]float32, len(rows))
	err := v.read(rows, func(i int, numbers []byte) {
		cosines[i] = float32(dot(q.numbers, numbers)) * q.scale * v.scales[rows[i]]
	})
	if err != nil {
		return err
	}
	for i, cosine := range cosines {
		if cosine >= MinCosine { // so its entry exists: the cosine of a gone one is 0
			found(hit{slot: int(v.slots[rows[i]]), score: float64(cosine)})
		}
	}
	return nil
}

// share is how many products are worth a goroutine: some 0.1 ms.
const share = 1 << 18

// inShares calls fn, concurrently, for parts of [0, n) of at least least each.
func inShares(n, least int, fn func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), 1+n/max(1, least))
	size := (n + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < n; from += size {
		wg.Go(func() { fn(from, min(from+size, n)) })
	}
	wg.Wait()
}

// dot returns the exact product of two vectors of the same length: the sum stays below 2^53 for any
// dimension that a model has. It keeps several sums, so that few additions wait for the one before.
func dot(a []int16, b []byte) int64 {
	var s0, s1, s2, s3 int64
	for len(a) >= 16 && len(b) >= 16 {
		x, y := (*[16]int16)(a), (*[16]byte)(b)
		s0 += int64(x[0])*int64(int8(y[0])) + int64(x[1])*int64(int8(y[1])) + int64(x[2])*int64(int8(y[2])) + int64(x[3])*int64(int8(y[3]))
		s1 += int64(x[4])*int64(int8(y[4])) + int64(x[5])*int64(int8(y[5])) + int64(x[6])*int64(int8(y[6])) + int64(x[7])*int64(int8(y[7]))
		s2 += int64(x[8])*int64(int8(y[8])) + int64(x[9])*int64(int8(y[9])) + int64(x[10])*int64(int8(y[10])) + int64(x[11])*int64(int8(y[11]))
		s3 += int64(x[12])*int64(int8(y[12])) + int64(x[13])*int64(int8(y[13])) + int64(x[14])*int64(int8(y[14])) + int64(x[15])*int64(int8(y[15]))
		a, b = a[16:], b[16:]
	}
	for i := range min(len(a), len(b)) {
		s0 += int64(a[i]) * int64(int8(b[i]))
	}
	return s0 + s1 + s2 + s3
}

// unit reads a vector of little-endian float32 and scales it to length 1. It returns false for a
// vector without a direction.
func unit(data []byte) ([]float32, bool) {
	long, ok := length(data)
	if !ok {
		return nil, false
	}
	v, scale := make([]float32, len(data)/4), 1/long
	for i := range v {
		v[i] = float32(float64(number(data, i)) * scale)
	}
	return v, true
}

// length returns the length of a vector of little-endian float32, or false if it has no direction.
func length(data []byte) (float64, bool) {
	if len(data)%4 != 0 {
		return 0, false
	}
	var square float64
	for i := range len(data) / 4 {
		x := float64(number(data, i))
		square += x * x
	}
	return math.Sqrt(square), square > 0 && !math.IsInf(square, 0) // NaN is not above 0
}

// number returns the ith number of a vector of little-endian float32.
func number(data []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
}
