package memory

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"shelly/fsm"
)

// Whatever the dimension and however many goroutines share the scan, the cosines are those of the
// plain formula except for the rounding to bytes, each with its own entry.
func TestSearchIsNearlyExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dimensions := range []int{1, 2, 15, 16, 17, 33, 768} {
		count := 2*share/dimensions + 3 // more than one share if that is cheap
		if dimensions < 100 {
			count = 40
		}
		v := vectors{space: space{model: "m", dimensions: dimensions}}
		query := random(rng, dimensions)
		want := map[int]float64{}
		for slot := range count {
			of := random(rng, dimensions)
			for i := range of { // closer to the query than by chance
				of[i] += query[i] * float32(slot%3)
			}
			v.put(slot, fsm.Entry{Model: "m", Vector: wire(of)})
			if c := cosine(query, of); c >= MinCosine {
				want[slot] = c
			}
		}
		unitQuery, _ := unit(wire(query))
		got := map[int]float64{}
		v.search(unitQuery, nil, func(h hit) { got[h.slot] = h.score })
		if len(want) == 0 {
			t.Errorf("%d dimensions: nothing is there to be found", dimensions)
		}
		for slot, c := range want {
			if found, ok := got[slot]; math.Abs(found-c) > rounding && (ok || c > MinCosine+rounding) {
				t.Errorf("%d dimensions: entry %d has cosine %v; want %v", dimensions, slot, found, c)
			}
		}
		for slot, c := range got {
			if want[slot] == 0 && c > MinCosine+rounding {
				t.Errorf("%d dimensions: entry %d is found with cosine %v, and its own is less than MinCosine", dimensions, slot, c)
			}
		}
	}
}

// rounding is the largest error of a cosine of vectors in bytes.
const rounding = 5e-3

func random(rng *rand.Rand, dimensions int) []float32 {
	of := make([]float32, dimensions)
	for i := range of {
		of[i] = float32(rng.NormFloat64())
	}
	return of
}

func wire(of []float32) []byte {
	var data []byte
	for _, f := range of {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(f))
	}
	return data
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

func TestAVectorWithoutADirectionIsNone(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, data := range map[string][]byte{
		"empty": nil, "cut": {0, 0, 128, 63, 0}, "zero": wire([]float32{0, 0}),
		"not a number": wire([]float32{1, nan}), "infinite": wire([]float32{inf, 1}),
	} {
		if v, ok := unit(data); ok {
			t.Errorf("%s: taken for %v", name, v)
		}
	}
	if v, ok := unit(wire([]float32{3, -4})); !ok || v[0] != 0.6 || v[1] != -0.8 {
		t.Errorf("3, -4: %v, %v; want 0.6, -0.8", v, ok)
	}
}
