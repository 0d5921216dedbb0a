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
		if r.Accepted >= keep.Since || out.Requests == TrimMax {
			break
		}
		if r.Done && r.Replied < keep.Since {
			delete(j.requests, r.Key)
			out.Requests++
		}
	}
	for len(j.messages) > 0 && j.messages[0].At < keep.Since && out.Messages < TrimMax {
		j.messages = j.messages[1:]
		out.Messages++
	}
	for len(j.audit) > 0 && (j.audit[0].At < keep.Since || IndexOf(j.audit[0].Position) < j.first) && out.Audit < TrimMax {
		j.audit = j.audit[1:]
		out.Audit++
	}
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
