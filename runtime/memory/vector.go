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

// vectors holds the unit vectors of one space, one behind the other.
type vectors struct {
	space space
	data  []float32
	slots []int       // the slot of each row
	rows  map[int]int // the row of each slot that has one
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
	if v.rows == nil {
		v.rows = map[int]int{}
	}
	v.rows[slot] = len(v.slots)
	v.slots = append(v.slots, slot)
	v.data = append(v.data, u...)
}

// remove drops a slot's vector: the last row takes its place.
func (v *vectors) remove(slot int) {
	row, ok := v.rows[slot]
	if !ok {
		return
	}
	d, last := v.space.dimensions, len(v.slots)-1
	copy(v.data[row*d:(row+1)*d], v.data[last*d:])
	v.slots[row] = v.slots[last]
	v.rows[v.slots[row]] = row
	v.data, v.slots = v.data[:last*d], v.slots[:last]
	delete(v.rows, slot)
}

// share is how many numbers are worth a goroutine of their own: some 0.1 ms.
const share = 1 << 18

// search gives found each entry whose cosine with query is at least MinCosine.
// The query is a unit vector of this space.
func (v *vectors) search(query []float32, found func(hit)) {
	cosines := make([]float32, len(v.slots))
	workers := min(runtime.GOMAXPROCS(0), 1+len(v.data)/share)
	rows := (len(v.slots) + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < len(v.slots); from += rows {
		to := min(from+rows, len(v.slots))
		wg.Go(func() { v.scan(query, from, cosines[from:to]) })
	}
	wg.Wait()
	for row, cosine := range cosines {
		if cosine >= MinCosine {
			found(hit{slot: v.slots[row], score: float64(cosine)})
		}
	}
}

// scan computes the cosines of the rows at and behind from.
func (v *vectors) scan(query []float32, from int, cosines []float32) {
	d := len(query)
	data := v.data[from*d:]
	for i := range cosines {
		cosines[i] = dot(query, data[i*d:(i+1)*d])
	}
}

// dot is the product of two vectors of one length. Its sums are short and lie
// side by side, so that few additions wait for the one before; one running sum
// takes four times as long.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 16 && len(b) >= 16 {
		x, y := (*[16]float32)(a), (*[16]float32)(b)
		s0 += (x[0]*y[0] + x[1]*y[1]) + (x[2]*y[2] + x[3]*y[3])
		s1 += (x[4]*y[4] + x[5]*y[5]) + (x[6]*y[6] + x[7]*y[7])
		s2 += (x[8]*y[8] + x[9]*y[9]) + (x[10]*y[10] + x[11]*y[11])
		s3 += (x[12]*y[12] + x[13]*y[13]) + (x[14]*y[14] + x[15]*y[15])
		a, b = a[16:], b[16:]
	}
	for i := range min(len(a), len(b)) {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
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
