package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"shelly/fsm"
	"shelly/runtime/failpoint"
	"shelly/runtime/lately"
)

// Store keeps sessions. For one session its methods are called one at a time.
type Store interface {
	// Name returns what tells this store from every other one.
	Name() string
	// Usable returns why nothing can be read or written any more, or nil.
	Usable() error
	// Session returns what was put under an id, or nil.
	Session(id string) ([]byte, error)
	// PutSession puts body under an id and adds parts to the end of the session's archive,
	// atomically. Then both belong to the caller again.
	PutSession(id string, body []byte, archived [][]byte) error
	// Sessions calls fn for each session, in the order of ids.
	Sessions(fn func(id string, body []byte) error) error
	// Archived calls fn for the parts of an archive after number after, in order, at most limit of
	// them.
	Archived(id string, after uint64, limit int, fn func(number uint64, part []byte) error) error
	// LastArchived returns the number of the last part of an archive, or 0.
	LastArchived(id string) (uint64, error)
	// Archives calls fn for each session that has an archive.
	Archives(fn func(id string) error) error
	// DropArchived drops the parts of a session's archive up to a number. No number is used again.
	DropArchived(id string, upTo uint64) error
	// ForgetRequests removes the texts and replies of the finished requests of a session, durably, and
	// returns how many there were. Clear removes them from the disk.
	ForgetRequests(session string) (requests int, clear func() error, err error)
	// ForgetSession puts body under an id, drops the archive and the results that the session
	// keeps, durably, and returns how many parts the archive had. Clear removes them from the disk.
	ForgetSession(id string, body []byte) (parts int, clear func() error, err error)
}

// turnsMax is how many turns are remembered. A turn can come again only while it is the last that
// its handle saved, and few handles run at once.
const turnsMax = 16

// Sessions is the sessions and the files that they share. It is safe for concurrent use.
type Sessions struct {
	store Store
	files folder
	now   func() time.Time
	mu    sync.Mutex                   // held over each comparison and the writes that follow it
	fresh *lately.Kept[string, record] // sessions as they are in the store: a turn loads what the turn before saved
	body  []byte                       // the record that was written last: memory for the next one
}

// bodyMax is the longest record whose memory is kept, in bytes.
const bodyMax = 1 << 20

// freshBytesMax bounds the memory for the sessions that were used last, counted as the size of
// their records.
const freshBytesMax = 4 << 20

// Open returns the sessions of a store. Their files are in the folder memory of the data folder,
// which Open makes if it is missing. Now gives the time at which a turn is archived.
func Open(data string, s Store, now func() time.Time) (*Sessions, error) {
	files, err := openFolder(data, s.Name())
	if err != nil {
		return nil, err
	}
	return &Sessions{store: s, files: files, now: now, fresh: lately.Keep[string, record](freshBytesMax)}, nil
}

// record is a session in the store.
type record struct {
	Session fsm.Session `json:"session"` // without MEMORY.md
	Turns   []string    `json:"turns,omitempty"`
}

// append appends the record as JSON.
func (r record) append(body []byte) ([]byte, error) {
	body, err := fsm.AppendSession(append(body, `{"session":`...), r.Session)
	if err != nil || len(r.Turns) == 0 {
		return append(body, '}'), err
	}
	turns, err := json.Marshal(r.Turns)
	body = append(append(body, `,"turns":`...), turns...)
	return append(body, '}'), err
}

// clipped returns the record with slices that an append cannot change in place.
func (r record) clipped() record {
	s := &r.Session
	s.History, s.Pending, s.Skills, s.Texts = slices.Clip(s.History), slices.Clip(s.Pending), slices.Clip(s.Skills), slices.Clip(s.Texts)
	s.Offer.Servers, s.Offer.Tools, r.Turns = slices.Clip(s.Offer.Servers), slices.Clip(s.Offer.Tools), slices.Clip(r.Turns)
	return r
}

// Load returns a session with MEMORY.md as it is now. A session that was never saved has version 0.
func (s *Sessions) Load(ctx context.Context, id string) (fsm.Session, error) {
	if err := ctx.Err(); err != nil {
		return fsm.Session{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, err := s.read(id)
	if err != nil {
		return fsm.Session{}, err
	}
	m, err := s.files.memory()
	if err != nil {
		return fsm.Session{}, err
	}
	return m.into(kept.Session), nil
}

// Save writes a session over the version that was loaded. On a conflict it writes nothing, and now
// is the present session. Saving a turn that is already written changes nothing and is not a
// conflict.
func (s *Sessions) Save(ctx context.Context, e fsm.SaveSession) (now fsm.Session, conflict bool, err error) {
	if err := ctx.Err(); err != nil {
		return fsm.Session{}, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, err := s.read(e.Session)
	if err != nil || slices.Contains(kept.Turns, e.Turn) {
		return fsm.Session{}, false, err
	}
	m, err := s.files.memory()
	if err != nil {
		return fsm.Session{}, false, err
	}
	if kept.Session.Version != e.State.Version || e.Memory && !m.admits(e) {
		return m.into(kept.Session), true, nil
	}
	if err := s.files.appendHistory(e.Notes, e.Turn); err != nil {
		return fsm.Session{}, false, err
	}
	failpoint.Hit(failpoint.HistoryWritten)
	if e.Memory {
		err := s.files.replaceMemory(m, e)
		if errors.Is(err, errChanged) {
			if m, err = s.files.memory(); err == nil {
				return m.into(kept.Session), true, nil
			}
		}
		if err != nil {
			return fsm.Session{}, false, err
		}
	}
	failpoint.Hit(failpoint.MemoryWritten)
	err = s.put(e, kept.Turns)
	failpoint.Hit(failpoint.SessionPut)
	return fsm.Session{}, false, err
}

// read returns a session as it was last written.
func (s *Sessions) read(id string) (record, error) {
	if kept, ok := s.fresh.Get(id); ok {
		return kept, s.store.Usable()
	}
	body, err := s.store.Session(id)
	if err != nil || body == nil {
		return record{}, err
	}
	var kept record
	if err := json.Unmarshal(body, &kept); err != nil {
		return record{}, fmt.Errorf("read session %q: %w", id, err)
	}
	kept = kept.clipped()
	s.fresh.Put(id, kept, len(body))
	return kept, nil
}

// put writes the session, and to its archive what the turn adds there.
func (s *Sessions) put(e fsm.SaveSession, turns []string) error {
	kept := record{Session: e.State, Turns: append(slices.Clip(turns), e.Turn)}
	kept.Session.Version++
	kept.Session.Memory, kept.Session.MemoryHash, kept.Session.MemorySource = "", "", 0
	if old := len(kept.Turns) - turnsMax; old > 0 {
		kept.Turns = kept.Turns[old:]
	}
	body, err := kept.append(s.body[:0])
	s.body = body
	if cap(body) > bodyMax {
		s.body = nil
	}
	if err != nil {
		return fmt.Errorf("encode session %q: %w", e.Session, err)
	}
	var parts [][]byte
	at := fsm.Millis(s.now().UnixMilli())
	for _, m := range e.Archive {
		part, err := json.Marshal(part{Turn: e.Turn, At: at, Message: m})
		if err != nil {
			return fmt.Errorf("encode the archive of session %q: %w", e.Session, err)
		}
		parts = append(parts, part)
	}
	s.fresh.Drop(e.Session)
	if err := s.store.PutSession(e.Session, body, parts); err != nil {
		return err
	}
	s.fresh.Put(e.Session, kept.clipped(), len(body))
	return nil
}
