package memory

import (
	"bytes"
	"cmp"
	"slices"
)

// fusionDepth is how many of the best in each order are fused, unless more are asked for.
const fusionDepth = 64

// fusionOffset is the k of reciprocal rank fusion; the larger it is, the less the first places
// stand out. 60 is the value of Cormack, Clarke and Büttcher (SIGIR 2009).
const fusionOffset = 60

// hit is an entry that was found.
type hit struct {
	slot  int
	score float64
}

// ranking keeps the best of the hits added to it, in order.
type ranking struct {
	hits    []hit
	max     int
	compare func(a, b hit) int
}

// ranking returns an empty ranking for at most n hits, 1 or more. Higher scores come first, then
// newer entries, then lower ids, so that no two are equal (MEM-3).
func (m *Memory) ranking(n int) *ranking {
	return &ranking{max: n, compare: func(a, b hit) int {
		x, y := &m.slots[a.slot], &m.slots[b.slot]
		if c := cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(y.at, x.at)); c != 0 {
			return c
		}
		return bytes.Compare(m.nameOf(x), m.nameOf(y))
	}}
}

// add adds a hit if it is among the best. Each slot may be added only once.
func (r *ranking) add(h hit) {
	if len(r.hits) == r.max && r.compare(h, r.hits[len(r.hits)-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(r.hits, h, r.compare)
	if len(r.hits) == r.max {
		r.hits = r.hits[:r.max-1]
	}
	r.hits = slices.Insert(r.hits, at, h)
}

// fuse fuses orders into r by reciprocal rank: it goes by places rather than scores, because scores
// of different orders cannot be compared. If weight is not nil, each fused score is multiplied by
// it.
func fuse(r *ranking, weight func(slot int) float64, orders ...[]hit) []hit {
	scores := map[int]float64{}
	var slots []int
	for _, hits := range orders {
		for place, h := range hits {
			if _, ok := scores[h.slot]; !ok {
				slots = append(slots, h.slot)
			}
			scores[h.slot] += 1 / float64(fusionOffset+place+1)
		}
	}
	for _, slot := range slots {
		score := scores[slot]
		if weight != nil {
			score *= weight(slot)
		}
		r.add(hit{slot: slot, score: score})
	}
	return r.hits
}
