package store

import (
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/lately"
)

// latestBytesMax bounds the records of requests that are kept in memory; a turn looks its request
// up several times.
const latestBytesMax = 256 << 10

// archivesBytesMax bounds the numbers of the last parts of archives that are kept in memory.
const archivesBytesMax = 64 << 10

// latest holds the requests that were written last, as they were written, and for the archives
// written last the number of the last part.
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

// archived returns the number of the last part of a session's archive, if it is known.
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
		const fields = 256 // what a record takes besides its texts
		l.kept.Put(r.Key, r, fields+len(r.Text)+len(r.Reply)+len(r.Session))
	}
}

// clear forgets everything: some of it may have been dropped.
func (l *latest) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Clear()
}
