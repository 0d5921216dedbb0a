package engine

import (
	"fmt"

	"shelly/fsm"
)

// Cut is what the choice of what to trim knows of a snapshot.
type Cut struct {
	Index uint64
	At    fsm.Millis // the time of the last input before it
	Bytes int64      // of all records up to it, including those already trimmed
}

// CutOf returns the index in snapshots of the one up to which records may be dropped by
// keep, or 0 (JRN-20): the last snapshot older than keep.Since, or the first that at most
// keep.Bytes follow, whichever is later. If no snapshot is late enough it is the last one.
// Snapshots are in the order of their indexes; bytes is the size of all records ever.
func CutOf(snapshots []Cut, bytes int64, keep Keep) (index uint64) {
	for _, s := range snapshots {
		if s.At < keep.Since {
			index = s.Index
		}
	}
	if keep.Bytes <= 0 {
		return index
	}
	gone := int64(0)
	for _, s := range snapshots {
		if s.Index > index && bytes-gone <= keep.Bytes {
			break
		}
		index, gone = max(index, s.Index), s.Bytes
	}
	return index
}

// Size returns how many bytes a record counts against [Keep].Bytes: its input's wire form
// and the hash.
func Size(r Record) (int64, error) {
	input, err := fsm.MarshalInput(r.Input)
	return int64(len(input)) + hashBytes, err
}

const hashBytes = 8

func errTrimmed(index, first uint64) error {
	return fmt.Errorf("record %d: %w; the first one kept is %d", index, ErrTrimmed, first)
}

// Trim implements [Journal].
func (j *MemoryJournal) Trim(keep Keep) (Trimmed, error) {
	cut, err := j.cut(keep)
	if err != nil {
		return Trimmed{}, err
	}
	var out Trimmed
	for len(j.records) > 0 && j.records[0].Index <= cut {
		size, err := Size(j.records[0])
		if err != nil {
			return out, err
		}
		j.gone += size
		j.records = j.records[1:]
		out.Records++
	}
	for len(j.saved) > 0 && j.saved[0].index < cut {
		j.saved = j.saved[1:]
		out.Snapshots++
	}
	j.first = max(j.first, cut+1)
	for _, r := range j.ordered() {
		if keep.Ends(r.Accepted) || out.Requests == TrimMax {
			break
		}
		if r.Done && r.Replied < keep.Since {
			delete(j.requests, r.Key)
			out.Requests++
		}
	}
	j.messages, out.Messages = dropped(j.messages, func(m Message) (goes, ends bool) { return m.At < keep.Since, keep.Ends(m.At) })
	j.audit, out.Audit = dropped(j.audit, func(a Audit) (goes, ends bool) {
		goes = a.At < keep.Since || IndexOf(a.Position) < j.first
		return goes, !goes && keep.Ends(a.At)
	})
	j.texts = without(j.texts, func(t Text) bool {
		goes := out.Texts < TrimMax && keep.Forgets(t)
		if goes {
			out.Texts++
		}
		return goes
	})
	j.sync()
	return out, nil
}

// Ends reports whether nothing is old that was written after something of a time. A time after the
// present is that of a clock that was ahead, and says nothing about what follows (JRN-38).
func (k Keep) Ends(at fsm.Millis) bool { return at >= k.Since && at <= k.Now }

// dropped returns what stays of a list, and how much of it goes: at most TrimMax.
func dropped[T any](list []T, is func(T) (goes, ends bool)) (left []T, n int) {
	for i, v := range list {
		goes, ends := is(v)
		switch {
		case ends || n == TrimMax:
			return append(left, list[i:]...), n
		case goes:
			n++
		default:
			left = append(left, v)
		}
	}
	return left, n
}

// cut is CutOf for what is there.
func (j *MemoryJournal) cut(keep Keep) (uint64, error) {
	cuts, bytes, err := j.cuts()
	return CutOf(cuts, bytes, keep), err
}

// cuts returns a [Cut] for each snapshot, and the bytes of all records ever.
func (j *MemoryJournal) cuts() (cuts []Cut, bytes int64, err error) {
	bytes, next := j.gone, 0
	for _, s := range j.saved {
		for ; next < len(j.records) && j.records[next].Index <= s.index; next++ {
			size, err := Size(j.records[next])
			if err != nil {
				return nil, 0, err
			}
			bytes += size
		}
		cuts = append(cuts, Cut{Index: s.index, At: s.snapshot.Now, Bytes: bytes})
	}
	for ; next < len(j.records); next++ {
		size, err := Size(j.records[next])
		if err != nil {
			return nil, 0, err
		}
		bytes += size
	}
	return cuts, bytes, nil
}
