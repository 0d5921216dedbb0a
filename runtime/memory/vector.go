package memory

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"shelly/fsm"
)

// MinCosine is the least cosine between a need and an entry at which the entry is
// taken to be about it. Texts that have nothing to do with each other reach 0.3 to
// 0.5 with the embedding models in common use.
const MinCosine = 0.5

// space is what vectors must share to be compared. The zero space is that of no
// vector.
type space struct {
	model      string
	dimensions int
}

// spaceOf returns the space of an entry's vector: its model and dimension (MEM-3).
func spaceOf(e fsm.Entry) space {
	if len(e.Vector) < 4 {
		return space{}
	}
	return space{model: e.Model, dimensions: len(e.Vector) / 4}
}

// vectors holds the vectors of one space, compact: each number in a byte, and for many
// vectors a sign in a bit.
type vectors struct {
	space  space
	slots  []int     // the slot of each row
	rows   []int32   // the row of each slot, from 1; 0: it has none
	bytes  []int8    // the numbers of each row, in steps of its scale
	scales []float32 // of each row
	signs  signs
}

// put takes in the entry's vector, if it has a sound one of this space.
func (v *vectors) put(slot int, e fsm.Entry) {
	if v.space == (space{}) || spaceOf(e) != v.space {
		return
	}
	u, ok := unit(e.Vector)
	if !ok {
		return
	}
	for len(v.rows) <= slot {
		v.rows = append(v.rows, 0)
	}
	step := steps(u, math.MaxInt8)
	var square float64
	for _, x := range u {
		n := math.RoundToEven(float64(x / step))
		square += n * n
		v.bytes = append(v.bytes, int8(n))
	}
	// With this scale, and not the step, the rounded vector has length 1 again.
	v.slots, v.scales = append(v.slots, slot), append(v.scales, float32(1/math.Sqrt(square)))
	v.rows[slot] = int32(len(v.slots))
	v.signs.grow(v)
}

// steps returns the size of a step at which the greatest number of a vector is so
// many of them.
func steps(u []float32, most float32) float32 {
	var greatest float32
	for _, x := range u {
		greatest = max(greatest, x, -x)
	}
	return greatest / most
}

// row returns the numbers of a row.
func (v *vectors) row(row int) []int8 {
	d := v.space.dimensions
	return v.bytes[row*d : (row+1)*d]
}

// remove drops a slot's vector: the last row takes its place.
func (v *vectors) remove(slot int) {
	if slot >= len(v.rows) || v.rows[slot] == 0 {
		return
	}
	row, last := int(v.rows[slot])-1, len(v.slots)-1
	copy(v.row(row), v.row(last))
	v.signs.move(row, last)
	v.slots[row], v.scales[row] = v.slots[last], v.scales[last]
	v.rows[v.slots[row]], v.rows[slot] = int32(row+1), 0
	v.bytes = v.bytes[:last*v.space.dimensions]
	v.slots, v.scales = v.slots[:last], v.scales[:last]
}

// query is what entries are compared with: a unit vector in steps.
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

// search gives found each wanted entry whose cosine with the need is at least
// MinCosine; of more than exactMax entries, of those that may well have (see signs).
// The need is a unit vector of this space; wanted nil is every entry.
func (v *vectors) search(need []float32, wanted func(slot int) bool, found func(hit)) {
	q := newQuery(need)
	rows := v.signs.near(v, q)
	if wanted != nil { // few are, and a near one among them may be far down among all
		rows = nil
		for row, slot := range v.slots {
			if wanted(slot) {
				rows = append(rows, int32(row))
			}
		}
	}
	cosines := make([]float32, len(rows))
	inShares(len(rows), share/max(1, v.space.dimensions), func(from, to int) {
		for i, row := range rows[from:to] {
			cosines[from+i] = float32(dot(q.numbers, v.row(int(row)))) * q.scale * v.scales[row]
		}
	})
	for i, cosine := range cosines {
		if cosine >= MinCosine {
			found(hit{slot: v.slots[rows[i]], score: float64(cosine)})
		}
	}
}

// share is how many products are worth a goroutine of their own: some 0.1 ms.
const share = 1 << 18

// inShares calls fn for parts of [0, n), each at least so large, at once.
func inShares(n, least int, fn func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), 1+n/max(1, least))
	size := (n + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < n; from += size {
		wg.Go(func() { fn(from, min(from+size, n)) })
	}
	wg.Wait()
}

// dot is the product of two vectors of one length, exactly: the sum stays below 2^53
// for any dimension that a model has. Its sums lie side by side, so that few additions
// wait for the one before.
func dot(a []int16, b []int8) int64 {
	var s0, s1, s2, s3 int64
	for len(a) >= 16 && len(b) >= 16 {
		x, y := (*[16]int16)(a), (*[16]int8)(b)
		s0 += int64(x[0])*int64(y[0]) + int64(x[1])*int64(y[1]) + int64(x[2])*int64(y[2]) + int64(x[3])*int64(y[3])
		s1 += int64(x[4])*int64(y[4]) + int64(x[5])*int64(y[5]) + int64(x[6])*int64(y[6]) + int64(x[7])*int64(y[7])
		s2 += int64(x[8])*int64(y[8]) + int64(x[9])*int64(y[9]) + int64(x[10])*int64(y[10]) + int64(x[11])*int64(y[11])
		s3 += int64(x[12])*int64(y[12]) + int64(x[13])*int64(y[13]) + int64(x[14])*int64(y[14]) + int64(x[15])*int64(y[15])
		a, b = a[16:], b[16:]
	}
	for i := range min(len(a), len(b)) {
		s0 += int64(a[i]) * int64(b[i])
	}
	return s0 + s1 + s2 + s3
}

// unit reads a vector of little-endian float32 and scales it to length 1. It
// reports false for one that has no direction.
func unit(data []byte) ([]float32, bool) {
	if len(data) == 0 || len(data)%4 != 0 {
		return nil, false
	}
	v := make([]float32, len(data)/4)
	var sum float64
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		sum += float64(v[i]) * float64(v[i])
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) * scale)
	}
	return v, true
}
