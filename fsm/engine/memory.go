package engine

import (
	"cmp"
	"maps"
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
)

// MemoryJournal is a journal in memory that models what a disk may lose: a
// crash drops everything after the last sync.
type MemoryJournal struct {
	records  []Record
	requests map[fsm.RequestKey]Request
	messages []Message
	audit    []Audit
	texts    []Text
	first    uint64  // the first record that is kept
	gone     int64   // bytes of the records before it
	saved    []saved // in the order of their indexes

	kept     []Text                    // the texts that survive a crash
	synced   length                    // what survives a crash
	unsynced map[fsm.RequestKey]before // what each changed request was at the last sync
}

// saved is a snapshot.
type saved struct {
	index    uint64
	snapshot state.Snapshot
}

// length is how many there are of what is only appended.
type length struct{ records, messages, audit int }

// before is what a request was; known is false for one that was not there.
type before struct {
	Request
	known bool
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal {
	return &MemoryJournal{first: 1, requests: map[fsm.RequestKey]Request{}, unsynced: map[fsm.RequestKey]before{}}
}

// NewMemoryJournalFrom returns a journal whose first record will be the one after a
// snapshot.
func NewMemoryJournalFrom(index uint64, s state.Snapshot) *MemoryJournal {
	j := NewMemoryJournal()
	j.first, j.saved = index+1, []saved{{index, s}}
	return j
}

// Append implements [Journal].
func (j *MemoryJournal) Append(b Batch, sync bool) error {
	j.records = append(j.records, b.Records...)
	j.messages = append(j.messages, b.Messages...)
	j.audit = append(j.audit, b.Audit...)
	j.keepTexts(b)
	for _, r := range b.Requests {
		if _, ok := j.unsynced[r.Key]; !ok {
			was, known := j.requests[r.Key]
			j.unsynced[r.Key] = before{was, known}
		}
		j.requests[r.Key] = r
	}
	if sync {
		j.sync()
	}
	return nil
}

func (j *MemoryJournal) sync() {
	j.synced = length{len(j.records), len(j.messages), len(j.audit)}
	j.kept = slices.Clip(j.texts)
	clear(j.unsynced)
}

// Crash loses what was not synced.
func (j *MemoryJournal) Crash() {
	j.records = slices.Clip(j.records[:j.synced.records])
	j.messages = slices.Clip(j.messages[:j.synced.messages])
	j.audit = slices.Clip(j.audit[:j.synced.audit])
	j.texts = slices.Clip(j.kept)
	// order-free: each key is restored independently
	for key, was := range j.unsynced {
		if was.known {
			j.requests[key] = was.Request
		} else {
			delete(j.requests, key)
		}
	}
	clear(j.unsynced)
}

// Replay implements [Journal].
func (j *MemoryJournal) Replay(after uint64, fn func(Record) error) error {
	if after < j.first-1 {
		return errTrimmed(after+1, j.first)
	}
	for _, r := range j.records {
		if r.Index > after {
			if err := fn(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Request implements [Journal].
func (j *MemoryJournal) Request(key fsm.RequestKey) (Request, bool, error) {
	r, ok := j.requests[key]
	return r, ok, nil
}

// Requests implements [Journal].
func (j *MemoryJournal) Requests(before uint64, limit int) ([]Request, error) {
	var found []Request // the latest first, and never more than are wanted: sorting all for each page takes too long
	most := max(0, min(limit, ReadMax))
	for _, r := range j.requests { // order-free: each is put in its place
		at, _ := slices.BinarySearchFunc(found, r.Index, func(f Request, index uint64) int { return cmp.Compare(index, f.Index) })
		if r.Index >= before || at == most {
			continue
		}
		if len(found) == most {
			found = found[:most-1]
		}
		found = slices.Insert(found, at, r)
	}
	return found, nil
}

// ordered returns the requests in the order of their records.
func (j *MemoryJournal) ordered() []Request {
	return slices.SortedFunc(maps.Values(j.requests), func(a, b Request) int { return cmp.Compare(a.Index, b.Index) })
}

// Messages implements [Journal].
func (j *MemoryJournal) Messages(to fsm.Origin, after uint64, limit int) ([]Message, error) {
	var found []Message
	for _, m := range j.messages {
		if len(found) >= min(limit, ReadMax) {
			break
		}
		if m.Position > after && m.IsTo(to) {
			found = append(found, m)
		}
	}
	return found, nil
}

// Audit implements [Journal].
func (j *MemoryJournal) Audit(session string, after uint64, limit int) ([]Audit, error) {
	var found []Audit
	for _, a := range j.audit {
		if len(found) >= min(limit, ReadMax) {
			break
		}
		if a.Position > after && (session == "" || a.Session == session) {
			found = append(found, a)
		}
	}
	return found, nil
}

// keepTexts adds the texts of a batch, and drops those that are no longer named. The old
// list is replaced, never changed: a crash brings it back.
func (j *MemoryJournal) keepTexts(b Batch) {
	for _, t := range b.Texts {
		j.texts = append(without(j.texts, func(o Text) bool { return o.TextKey == t.TextKey }), t)
	}
	for _, n := range b.Names {
		j.texts = without(j.texts, func(t Text) bool { return t.Owner == n.Owner && !slices.Contains(n.Refs, t.Ref) })
	}
}

// without returns the texts that do not go, as a new list.
func without(texts []Text, goes func(Text) bool) []Text {
	return slices.DeleteFunc(slices.Clone(texts), goes)
}

// Text implements [Journal].
func (j *MemoryJournal) Text(key TextKey) (string, bool, error) {
	for _, t := range j.texts {
		if t.TextKey == key {
			return t.Body, true, nil
		}
	}
	return "", false, nil
}

// SaveSnapshot implements [Journal].
func (j *MemoryJournal) SaveSnapshot(index uint64, s state.Snapshot) error {
	j.sync()
	i, there := slices.BinarySearchFunc(j.saved, index, func(s saved, at uint64) int { return cmp.Compare(s.index, at) })
	if there {
		j.saved[i].snapshot = s
	} else {
		j.saved = slices.Insert(j.saved, i, saved{index, s})
	}
	return nil
}

// Snapshot implements [Journal].
func (j *MemoryJournal) Snapshot(at uint64) (uint64, state.Snapshot, error) {
	for _, s := range slices.Backward(j.saved) {
		if s.index <= at {
			return s.index, s.snapshot, nil
		}
	}
	return 0, state.Snapshot{}, nil
}

// Kept implements [Journal].
func (j *MemoryJournal) Kept() (Kept, error) {
	k := Kept{First: j.first, Last: j.first - 1}
	for _, s := range j.saved {
		k.Snapshots = append(k.Snapshots, s.index)
		k.Last = max(k.Last, s.index)
	}
	if n := len(j.records); n > 0 {
		k.Last = j.records[n-1].Index
	}
	_, bytes, err := j.cuts()
	k.Bytes = bytes - j.gone
	return k, err
}

// Space implements [Journal]: memory is never short.
func (j *MemoryJournal) Space() error { return nil }

// Records returns all records, synced or not.
func (j *MemoryJournal) Records() []Record { return j.records }
