package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/lately"
)

// setRequests puts request records into a batch, each with its place among all.
func setRequests(batch *pebble.Batch, requests []engine.Request) error {
	for _, r := range requests {
		body, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode request %q: %w", r.Key.ID, err)
		}
		key := requestKey(r.Key)
		if err := errors.Join(set(batch, key, body), set(batch, requestAtKey(r.Index), key)); err != nil {
			return err
		}
	}
	return nil
}

// latestBytesMax bounds the records of requests that are kept in memory, of which a turn asks
// several times.
const latestBytesMax = 256 << 10

// archivesBytesMax bounds the numbers of the last parts of archives, likewise.
const archivesBytesMax = 64 << 10

// latest are the requests that were written last, as they were written, and the number of the
// last part of the archives that were.
type latest struct {
	mu    sync.Mutex
	kept  *lately.Kept[fsm.RequestKey, engine.Request]
	parts *lately.Kept[string, uint64]
}

func newLatest() *latest {
	return &latest{
		kept:  lately.Keep[fsm.RequestKey, engine.Request](latestBytesMax),
		parts: lately.Keep[string, uint64](archivesBytesMax),
	}
}

// archived returns the number of the last part of a session's archive, where it is known.
func (l *latest) archived(session string) (last uint64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.parts.Get(session)
}

func (l *latest) archives(session string, last uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const fields = 64
	l.parts.Put(session, last, fields+len(session))
}

func (l *latest) get(key fsm.RequestKey) (engine.Request, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.Get(key)
}

func (l *latest) put(requests []engine.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range requests {
		const fields = 256 // what a record takes beside its texts
		l.kept.Put(r.Key, r, fields+len(r.Text)+len(r.Reply)+len(r.Session))
	}
}

// clear forgets all of them: some may be dropped.
func (l *latest) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Clear()
}

// Request implements [engine.Journal]. What it returns has the reply, also after
// a restart (COM-8).
func (s *Store) Request(key fsm.RequestKey) (r engine.Request, ok bool, err error) {
	if err := s.usable(); err != nil {
		return engine.Request{}, false, err
	}
	if r, ok := s.latest.get(key); ok {
		return r, true, nil
	}
	return s.request(requestKey(key), key.ID)
}

// request reads the record under a key; id is what it is called in an error.
func (s *Store) request(key []byte, id string) (r engine.Request, ok bool, err error) {
	what := fmt.Sprintf("request %q", id)
	body, err := s.get(key, what)
	if err != nil || body == nil {
		return engine.Request{}, false, err
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return engine.Request{}, false, corrupt(what, err)
	}
	return r, true, nil
}

// Requests implements [engine.Journal].
func (s *Store) Requests(before uint64, limit int) (found []engine.Request, err error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindRequestAt}, UpperBound: requestAtKey(before)})
	if err != nil {
		return nil, classify(err)
	}
	defer func() { err = errors.Join(err, classify(it.Close())) }()
	for ok := it.Last(); ok && len(found) < min(limit, engine.ReadMax); ok = it.Prev() {
		value, err := it.ValueAndErr()
		if err != nil {
			return nil, classify(err)
		}
		r, err := s.requestAt(it.Key(), value)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// requestAt reads the record that an entry of the order of requests leads to.
func (s *Store) requestAt(key, value []byte) (engine.Request, error) {
	what := fmt.Sprintf("the request of record %d", numberOf(key))
	at, err := unseal(key, value, what)
	if err != nil {
		return engine.Request{}, err
	}
	r, ok, err := s.request(at, what)
	if err == nil && !ok {
		err = corrupt(what, "it is missing")
	}
	return r, err
}
