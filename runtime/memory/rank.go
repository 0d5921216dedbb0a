package memory

import (
	"bytes"
	"slices"
)

// fusionDepth is how many of each order's best are joined, unless more are asked
// for.
const fusionDepth = 64

// fusionOffset is the k of reciprocal rank fusion: how little the first places
// stand out. 60 is the value of Cormack, Clarke and Büttcher (SIGIR 2009).
const fusionOffset = 60

// hit is an entry that was found.
type hit struct {
	slot  int
	score float64
}

// ranking keeps the best of the hits that it is given, in order.
type ranking struct {
	hits    []hit
	max     int
	compare func(a, b hit) int
}

// ranking returns an empty ranking for at most n hits, 1 or more: the higher score first,
// then the newer entry, then the lower id, so that no two are equal (MEM-3).
func (m *Memory) ranking(n int) *ranking {
	return &ranking{max: n, compare: func(a, b hit) int {
		x, y := &m.slots[a.slot], &m.slots[b.slot]
		switch {
		case a.score != b.score:
			return order(a.score > b.score)
		case x.at != y.at:
			return order(x.at > y.at)
		default:
			return bytes.Compare(m.nameOf(x), m.nameOf(y))
		}
	}}
}

func order(before bool) int {
	if before {
		return -1
	}
	return 1
}

// add takes a hit into the ranking if it is among the best. No slot is added
// twice.
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

// fuse joins two orders into r by reciprocal rank: a place counts, not the score
// that led to it, because the scores have nothing in common. Weight, if not nil, is
// what a joined score is multiplied with.
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
