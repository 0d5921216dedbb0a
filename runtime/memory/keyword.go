package memory

import (
	"math"
	"slices"
	"strings"
)

// The parameters of BM25, at the values most used: how soon repetition stops to
// count, and how much a long entry is held against it.
const (
	bm25K = 1.2
	bm25B = 0.75
)

// keywords is an inverted index.
type keywords struct {
	terms    map[string]int
	postings [][]posting // by term
	docs     []doc       // by slot
	count    int         // docs that are there
	length   int         // of all docs, in terms
}

// posting says how often a doc has a term.
type posting struct {
	slot  int32
	times int32
}

// doc is one entry's part of the index.
type doc struct {
	terms  []int32 // each once, ascending
	length int     // in terms, repetitions included
}

func newKeywords() keywords { return keywords{terms: map[string]int{}} }

// put takes in a doc. Its slot is a new one, or was removed before.
func (k *keywords) put(slot int, terms []string) {
	numbers := make([]int32, len(terms))
	for i, t := range terms {
		numbers[i] = int32(k.number(t))
	}
	slices.Sort(numbers)
	for len(k.docs) <= slot {
		k.docs = append(k.docs, doc{})
	}
	for i := 0; i < len(numbers); {
		end := i
		for end < len(numbers) && numbers[end] == numbers[i] {
			end++
		}
		n := numbers[i]
		k.postings[n] = append(k.postings[n], posting{slot: int32(slot), times: int32(end - i)})
		i = end
	}
	k.docs[slot] = doc{terms: slices.Clone(slices.Compact(numbers)), length: len(terms)}
	k.count++
	k.length += len(terms)
}

// number returns a term's number, a new one for a new term.
func (k *keywords) number(term string) int {
	n, ok := k.terms[term]
	if !ok {
		n = len(k.postings)
		k.terms[strings.Clone(term)] = n // and not all of the text that it is of
		k.postings = append(k.postings, nil)
	}
	return n
}

// remove drops docs. Each posting of their terms is looked at once, however many docs
// there are.
func (k *keywords) remove(slots ...int) {
	gone := make([]bool, len(k.docs))
	var terms []int32
	for _, slot := range slots {
		if gone[slot] {
			continue
		}
		gone[slot] = true
		terms = append(terms, k.docs[slot].terms...)
		k.count--
		k.length -= k.docs[slot].length
		k.docs[slot] = doc{}
	}
	slices.Sort(terms)
	for _, n := range slices.Compact(terms) {
		k.postings[n] = slices.DeleteFunc(k.postings[n], func(p posting) bool { return gone[p.slot] })
	}
}

// search gives found each doc that has one of the terms, with its BM25 score.
func (k *keywords) search(terms []string, found func(hit)) {
	if k.length == 0 {
		return
	}
	mean := float64(k.length) / float64(k.count)
	scores := make([]float64, len(k.docs))
	var slots []int
	slices.Sort(terms)
	for _, t := range slices.Compact(terms) {
		n, ok := k.terms[t]
		if !ok {
			continue
		}
		having := float64(len(k.postings[n]))
		// The form that is positive for every term: each match counts.
		weight := math.Log1p((float64(k.count) - having + 0.5) / (having + 0.5))
		for _, p := range k.postings[n] {
			if scores[p.slot] == 0 {
				slots = append(slots, int(p.slot))
			}
			times := float64(p.times)
			long := 1 - bm25B + bm25B*float64(k.docs[p.slot].length)/mean
			scores[p.slot] += weight * times * (bm25K + 1) / (times + bm25K*long)
		}
	}
	for _, slot := range slots {
		found(hit{slot: slot, score: scores[slot]})
	}
}

// shared returns which of the terms a doc has, each once, in order.
func (k *keywords) shared(slot int, terms []string) []string {
	var list []string
	for _, t := range terms {
		n, ok := k.terms[t]
		if !ok || slices.Contains(list, t) {
			continue
		}
		if _, has := slices.BinarySearch(k.docs[slot].terms, int32(n)); has {
			list = append(list, t)
		}
	}
	return list
}
