package store

import (
	"cmp"
	"slices"
	"sync"

	"shelly/fsm/engine"
)

// extent is what the journal holds, kept in memory for those who read while it grows and is
// trimmed.
type extent struct {
	mu    sync.RWMutex
	first uint64       // index of the first record that is still kept
	last  uint64       // index of the last record
	bytes int64        // of all records there ever were (engine.Size)
	cuts  []engine.Cut // of each snapshot, in order
}

// newExtent returns the extent of the records from first to last, 0 if there are none; after is
// the size in bytes of those after the last snapshot.
func newExtent(first, last uint64, cuts []engine.Cut, after int64) *extent {
	x := &extent{first: first, last: last, bytes: after, cuts: cuts}
	if n := len(cuts); n > 0 {
		x.last = max(last, cuts[n-1].Index)
		x.bytes += cuts[n-1].Bytes
	}
	if first == 0 {
		x.first = x.last + 1
	}
	return x
}

func (x *extent) ends() (first, last uint64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.first, x.last
}

// appended records an append.
func (x *extent) appended(last uint64, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last, x.bytes = last, x.bytes+bytes
}

// saved records a snapshot.
func (x *extent) saved(c engine.Cut) {
	x.mu.Lock()
	defer x.mu.Unlock()
	i, there := slices.BinarySearchFunc(x.cuts, c.Index, func(c engine.Cut, at uint64) int { return cmp.Compare(c.Index, at) })
	if there {
		x.cuts[i] = c
	} else {
		x.cuts = slices.Insert(x.cuts, i, c)
	}
}

// choose returns the index up to which records may be dropped, or 0 if none may be.
func (x *extent) choose(keep engine.Keep) uint64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if cut := engine.CutOf(x.cuts, x.bytes, keep); cut >= x.first {
		return cut
	}
	return 0
}

// trim drops the records up to a snapshot and the snapshots before it.
func (x *extent) trim(cut uint64) (records, snapshots int, bytes int64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	bytes = x.gone()
	records, x.first = int(cut-x.first+1), cut+1
	for x.cuts[0].Index < cut {
		x.cuts = x.cuts[1:]
		snapshots++
	}
	return records, snapshots, x.gone() - bytes
}

// gone returns the size of the records before the first one kept, which the snapshot before it
// stands for.
func (x *extent) gone() int64 {
	if len(x.cuts) == 0 || x.cuts[0].Index >= x.first {
		return 0
	}
	return x.cuts[0].Bytes
}

func (x *extent) kept() engine.Kept {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k := engine.Kept{First: x.first, Last: x.last, Bytes: x.bytes - x.gone()}
	for _, c := range x.cuts {
		k.Snapshots = append(k.Snapshots, c.Index)
	}
	return k
}
