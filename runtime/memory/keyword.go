package memory

import (
	"errors"
	"math"
	"slices"
	"strings"

	"shelly/fsm/engine"
	"shelly/runtime/memory/index"
)

// The parameters of BM25, at their most common values: how quickly repetition stops to count, and
// how much a long entry is penalised.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// keywords is an inverted index. The slots before from are sealed, and their postings are in the
// store; those of the later slots, the tail, are in memory.
type keywords struct {
	lengths []int32 // of each slot, in terms, repetitions included; 0: no entry
	count   int     // how many slots have an entry
	length  int     // of all entries, in terms

	from   int
	sealed func(term string, list []index.Posting) ([]index.Posting, error) // appends the postings before from; nil: there are none

	terms    map[string]int
	names    []string          // by number
	postings [][]index.Posting // by number
	docs     [][]int32         // by slot after from: the numbers of its terms, each once, ascending
}

func newKeywords() keywords { return keywords{terms: map[string]int{}} }

// counted returns each distinct term with its number of occurrences.
func counted(terms []string) []index.Term {
	slices.Sort(terms)
	var list []index.Term
	for _, t := range terms {
		if n := len(list); n > 0 && list[n-1].Text == t {
			list[n-1].Times++
		} else {
			list = append(list, index.Term{Text: t, Times: 1})
		}
	}
	return list
}

// sum returns how many terms a list counts, repetitions included.
func sum(terms []index.Term) (n int) {
	for _, t := range terms {
		n += t.Times
	}
	return n
}

// note adds a slot whose entry has length terms.
func (k *keywords) note(slot, length int) {
	for len(k.lengths) <= slot {
		k.lengths = append(k.lengths, 0)
	}
	k.lengths[slot] = int32(length)
	k.count++
	k.length += length
}

// put adds the terms of a slot of the tail, which comes after all earlier ones.
func (k *keywords) put(slot int, terms []index.Term) {
	numbers := make([]int32, len(terms))
	for i, t := range terms {
		n := k.number(t.Text)
		numbers[i] = int32(n)
		k.postings[n] = append(k.postings[n], index.Posting{Slot: int32(slot), Times: int32(t.Times)})
	}
	slices.Sort(numbers)
	for len(k.docs) <= slot-k.from {
		k.docs = append(k.docs, nil)
	}
	k.docs[slot-k.from] = numbers
	k.note(slot, sum(terms))
}

// number returns a term's number, assigning one to a new term.
func (k *keywords) number(term string) int {
	n, ok := k.terms[term]
	if !ok {
		n = len(k.postings)
		term = strings.Clone(term) // so as not to keep the whole text
		k.terms[term] = n
		k.names, k.postings = append(k.names, term), append(k.postings, nil)
	}
	return n
}

// remove drops slots that have an entry. Each posting of their terms is visited once, however many
// slots there are. Sealed postings are left to the store.
func (k *keywords) remove(slots ...int) {
	gone := map[int32]bool{}
	var terms []int32
	for _, slot := range slots {
		if gone[int32(slot)] {
			continue
		}
		gone[int32(slot)] = true
		k.count--
		k.length -= int(k.lengths[slot])
		k.lengths[slot] = 0
		if slot >= k.from {
			terms = append(terms, k.docs[slot-k.from]...)
			k.docs[slot-k.from] = nil
		}
	}
	slices.Sort(terms)
	for _, n := range slices.Compact(terms) {
		k.postings[n] = slices.DeleteFunc(k.postings[n], func(p index.Posting) bool { return gone[p.Slot] })
	}
}

// seal notes that the slots before to are in the store.
func (k *keywords) seal(to int) {
	k.from, k.terms, k.names, k.postings, k.docs = to, map[string]int{}, nil, nil, nil
}

// places returns the postings of a term, in the order of slots: with an ErrDamaged, those that can be
// read.
func (k *keywords) places(term string) (list []index.Posting, err error) {
	if k.sealed != nil && k.from > 0 {
		if list, err = k.sealed(term, nil); err != nil && !errors.Is(err, engine.ErrDamaged) {
			return nil, err
		}
		// The store may already have a segment whose slots are still in the tail here; a slot that is gone has length 0.
		list = slices.DeleteFunc(list, func(p index.Posting) bool { return int(p.Slot) >= k.from || k.lengths[p.Slot] == 0 })
	}
	if n, ok := k.terms[term]; ok {
		list = append(list, k.postings[n]...)
	}
	return list, err
}

// matches holds, for each of some terms, the slots that have it.
type matches map[string][]index.Posting

// search calls found once for each slot that has any of the terms, with its BM25 score. An ErrDamaged
// says that it went on without a damaged part of the index (JRN-30).
func (k *keywords) search(terms []string, found func(hit)) (matches, error) {
	if k.length == 0 {
		return nil, nil
	}
	mean := float64(k.length) / float64(k.count)
	scores := make([]float64, len(k.lengths))
	met := matches{}
	var slots []int
	var damaged error
	for _, t := range terms {
		list, err := k.places(t)
		switch {
		case errors.Is(err, engine.ErrDamaged):
			damaged = err
		case err != nil:
			return nil, err
		}
		met[t] = list
		having := float64(len(list))
		// This form of the weight is positive for every term, so that each match counts.
		weight := math.Log1p((float64(k.count) - having + 0.5) / (having + 0.5))
		for _, p := range list {
			if scores[p.Slot] == 0 {
				slots = append(slots, int(p.Slot))
			}
			times := float64(p.Times)
			long := 1 - bm25B + bm25B*float64(k.lengths[p.Slot])/mean
			scores[p.Slot] += weight * times * (bm25K + 1) / (times + bm25K*long)
		}
	}
	for _, slot := range slots {
		found(hit{slot: slot, score: scores[slot]})
	}
	return met, damaged
}

// shared returns which of the terms a slot has.
func (m matches) shared(slot int, terms []string) []string {
	var list []string
	for _, t := range terms {
		_, has := slices.BinarySearchFunc(m[t], int32(slot), func(p index.Posting, slot int32) int { return int(p.Slot - slot) })
		if has {
			list = append(list, t)
		}
	}
	return list
}
