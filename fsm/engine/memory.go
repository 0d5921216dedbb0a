package engine

import (
	"slices"

	"shelly/fsm"
)

// MemoryJournal is a journal in memory that models what a disk may lose: a
// crash drops everything behind the last sync.
type MemoryJournal struct {
	records  []Record
	requests map[fsm.RequestKey]Request
	messages []Message
	audit    []Audit
	index    uint64 // of snapshot
	snapshot fsm.Snapshot

	synced   length                    // what survives a crash
	unsynced map[fsm.RequestKey]before // what each changed request was at the last sync
}

// length is how much there is of what only grows.
type length struct{ records, messages, audit int }

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
	j.messages = append(j.messages, b.Messages...)
	j.audit = append(j.audit, b.Audit...)
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
	clear(j.unsynced)
}

// Crash loses what was not synced.
func (j *MemoryJournal) Crash() {
	j.records = slices.Clip(j.records[:j.synced.records])
	j.messages = slices.Clip(j.messages[:j.synced.messages])
	j.audit = slices.Clip(j.audit[:j.synced.audit])
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

// Messages implements [Journal].
func (j *MemoryJournal) Messages(to fsm.Origin, after uint64, limit int) ([]Message, error) {
	var found []Message
	for _, m := range j.messages {
		if len(found) >= min(limit, ReadMax) {
			break
		}
		if m.Position > after && m.To.Channel == to.Channel && (to.Chat == "" || m.To.Chat == to.Chat) {
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
