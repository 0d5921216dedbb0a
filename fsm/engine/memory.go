package engine

import "shelly/fsm"

// MemoryJournal is a journal in memory that models what a disk may lose: a
// crash drops everything behind the last sync.
type MemoryJournal struct {
	records  []Record
	requests map[fsm.RequestKey]Request
	index    uint64 // of snapshot
	snapshot fsm.Snapshot

	synced   int                       // records that survive a crash
	unsynced map[fsm.RequestKey]before // what each changed request was at the last sync
}

// before is what a request was; known is false for one that was not there.
type before struct {
	Request
	known bool
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal {
	return &MemoryJournal{requests: map[fsm.RequestKey]Request{}, unsynced: map[fsm.RequestKey]before{}}
}

// Append implements [Journal].
func (j *MemoryJournal) Append(b Batch, sync bool) error {
	j.records = append(j.records, b.Records...)
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
	j.synced = len(j.records)
	clear(j.unsynced)
}

// Crash loses what was not synced.
func (j *MemoryJournal) Crash() {
	j.records = j.records[:j.synced:j.synced]
	// order-free: each key is put back by itself
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

// SaveSnapshot implements [Journal].
func (j *MemoryJournal) SaveSnapshot(index uint64, s fsm.Snapshot) error {
	j.sync()
	j.index, j.snapshot = index, s
	return nil
}

// Snapshot implements [Journal].
func (j *MemoryJournal) Snapshot() (uint64, fsm.Snapshot, error) { return j.index, j.snapshot, nil }

// Space implements [Journal]: memory is never short.
func (j *MemoryJournal) Space() error { return nil }

// Records returns all records, synced or not.
func (j *MemoryJournal) Records() []Record { return j.records }
