package memory

import (
	"context"
	"errors"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
)

// Entries keeps the entries. Its methods may be called concurrently.
type Entries interface {
	// PutEntry writes an entry whole, in place of the one with its id. One that was
	// forgotten is there again.
	PutEntry(e fsm.Entry) error
	// Entries calls fn for each entry until it returns an error.
	Entries(fn func(fsm.Entry) error) error
	// Entry returns the entry with an id, or false.
	Entry(id string) (fsm.Entry, bool, error)
	// ForgetEntries drops entries, durably, and remembers their ids.
	// An ErrDamaged says that it cannot take their text from the disk.
	ForgetEntries(ids []string) error
	// Forgotten reports whether an entry was forgotten and has not been put since.
	Forgotten(id string) (bool, error)
	// SyncEntries returns when what was put is durable.
	SyncEntries() error
	// Space returns an error where there is too little space to bring entries in.
	Space() error
}

// Embedder turns a text into a vector: float32, little-endian, and the name of
// the model that made it.
type Embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Options say how a memory finds its entries.
type Options struct {
	Embedder Embedder // nil: recall goes by keyword alone
	// Apart reports whether an embedding may make the server unload the chat model (MEM-11);
	// nil: it never does.
	Apart func() bool
	// HalfLife is the age at which an entry counts half as much (MEM-9); 0: age is
	// of no account.
	HalfLife fsm.Millis
	Now      func() fsm.Millis // required with a HalfLife
}

// Memory is the entries and their index. It is safe for concurrent use. Every method
// waits until the index is made, as [Memory.Wait] does.
type Memory struct {
	entries Entries
	o       Options

	ready  chan struct{} // closed when the index is made
	failed error         // why it could not be; set before ready is closed
	stop   context.CancelFunc

	writing sync.Mutex // held over a write and its indexing, so that both have one order

	mu       sync.RWMutex // guards the index, below
	slots    []slot
	byID     map[string]int
	keywords keywords
	vectors  vectors
	pending  pending
}

// slot is what is kept of an entry besides its index. An entry keeps its slot for
// good; one that was forgotten leaves an empty one.
type slot struct {
	id      string
	at      fsm.Millis
	summary string
	session string
	kind    fsm.Kind
	source  fsm.Source
	space   space // of its vector, sound or not
	gone    bool
}

// Open reads every entry and returns the memory over them.
func Open(s Entries, o Options) (*Memory, error) {
	m := Begin(s, o)
	return m, m.Wait(context.Background())
}

// Begin returns a memory that reads its entries in the background, so that a daemon
// with many serves at once (MEM-7).
func Begin(s Entries, o Options) *Memory {
	ctx, stop := context.WithCancel(context.Background())
	m := &Memory{entries: s, o: o, ready: make(chan struct{}), stop: stop, byID: map[string]int{}, keywords: newKeywords()}
	go func() {
		defer close(m.ready)
		m.failed = m.load(ctx)
	}()
	return m
}

// Wait waits until every entry is read, and returns why one could not be.
func (m *Memory) Wait(ctx context.Context) error {
	select {
	case <-m.ready: // rather than an end that has come as well
		return m.failed
	default:
	}
	select {
	case <-m.ready:
		return m.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the reading of entries. The memory is of no use afterwards if that was
// not over.
func (m *Memory) Close() {
	m.stop()
	<-m.ready
}

var errClosed = errors.New("the memory was closed before its entries were read")

// Store writes an entry whole (MEM-1) and makes it found. An entry with the id of
// another replaces it (MEM-2), and one that a person has had forgotten stays so
// (MEM-10). On an error nothing has changed.
func (m *Memory) Store(ctx context.Context, e fsm.Entry) error {
	if err := errors.Join(ctx.Err(), m.Wait(ctx)); err != nil {
		return err
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	forgotten, err := m.entries.Forgotten(e.ID)
	if err != nil || forgotten {
		return err
	}
	return m.put(e)
}

func (m *Memory) put(e fsm.Entry) error {
	if err := m.entries.PutEntry(e); err != nil {
		return err
	}
	failpoint.Hit(failpoint.EntryPut)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.index(e, terms(e.Summary+"\n"+e.Text, indexed))
	return nil
}

// Forget drops entries, durably, and returns how many there were (MEM-10). With an
// ErrDamaged they are dropped, and their text is still in a table that cannot be read.
func (m *Memory) Forget(ctx context.Context, ids ...string) (int, error) {
	if err := m.Wait(ctx); err != nil {
		return 0, err
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	err := m.entries.ForgetEntries(ids)
	if err != nil && !errors.Is(err, engine.ErrDamaged) {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var gone []int
	for _, id := range ids {
		at, ok := m.byID[id]
		if !ok {
			continue
		}
		m.vectors.remove(at)
		m.slots[at] = slot{gone: true}
		delete(m.byID, id)
		gone = append(gone, at)
	}
	m.keywords.remove(gone...)
	return len(gone), err
}

// index takes an entry in, or its new form.
func (m *Memory) index(e fsm.Entry, terms []string) {
	at, known := m.byID[e.ID]
	if known {
		m.keywords.remove(at)
		m.vectors.remove(at)
	} else {
		at = len(m.slots)
		m.byID[e.ID] = at
		m.slots = append(m.slots, slot{})
	}
	m.slots[at] = slot{id: e.ID, at: e.At, summary: e.Summary, session: e.Session, kind: e.Kind, source: e.Source, space: spaceOf(e)}
	m.keywords.put(at, terms)
	if m.vectors.space == (space{}) {
		m.vectors.space = spaceOf(e)
	}
	m.vectors.put(at, e)
	m.pending.from(at)
}

// use makes s the space of the vectors at hand. The zero space changes nothing.
func (m *Memory) use(s space) error {
	m.mu.RLock()
	same := m.vectors.space == s
	m.mu.RUnlock()
	if same || s == (space{}) {
		return nil
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	other := vectors{space: s}
	err := m.entries.Entries(func(e fsm.Entry) error {
		if at, ok := m.byID[e.ID]; ok {
			other.put(at, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vectors = other
	m.pending.from(0)
	return nil
}
