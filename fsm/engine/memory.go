package engine

import "shelly/fsm"

// MemoryJournal is a journal in memory that models what a disk may lose: a
// crash drops everything behind the last sync.
type MemoryJournal struct {
	records  []Record
	requests map[fsm.RequestKey]Request
	index    uint64 // of snapshot
	snapshot fsm.Snapshot

	synced   int                        // records that survive a crash
	unsynced map[fsm.RequestKey]Request // what each request was at the last sync
}

// NewMemoryJournal returns an empty journal.
func NewMemoryJournal() *MemoryJournal {
	return &MemoryJournal{requests: map[fsm.RequestKey]Request{}, unsynced: map[fsm.RequestKey]Request{}}
}

// Append implements [Journal].
func (j *MemoryJournal) Append(b Batch, sync bool) error {
	j.records = append(j.records, b.Records...)
	for _, r := range b.Requests {
		if _, ok := j.unsynced[r.Key]; !ok {
			j.unsynced[r.Key] = j.requests[r.Key]
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
	for key, before := range j.unsynced {
		if before.Key == (fsm.RequestKey{}) {
			delete(j.requests, key)
		} else {
			j.requests[key] = before
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
