package memory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
	"shelly/runtime/memory/index"
)

// Entries stores the entries. Its methods may be called concurrently.
type Entries interface {
	// PutEntry writes a whole entry, replacing the one with its id. A forgotten entry exists again.
	PutEntry(e fsm.Entry) error
	// Entries calls fn for each entry until it returns an error.
	Entries(fn func(fsm.Entry) error) error
	// Entry returns the entry with an id, or false.
	Entry(id string) (fsm.Entry, bool, error)
	// ForgetEntries drops entries, durably, and remembers their ids. An ErrDamaged says that their
	// text could not be removed from the disk.
	ForgetEntries(ids []string) error
	// Forgotten reports whether an entry was forgotten and has not been put again since.
	Forgotten(id string) (bool, error)
	// SyncEntries returns when everything that was put is durable.
	SyncEntries() error
	// Space returns an error if there is too little space to bring entries in.
	Space() error
}

// Embedder turns a text into a vector of little-endian float32, and returns the name of the model
// that made it.
type Embedder interface {
	Embed(ctx context.Context, text string) (vector []byte, model string, err error)
}

// Options says how a memory finds its entries.
type Options struct {
	Embedder Embedder // nil: recall is by keyword alone
	// Embeds reports whether the embedder has a model, so that entries without a vector are to get
	// one; nil: it always has.
	Embeds func() bool
	// Apart reports whether an embedding may make the server unload the chat model (MEM-11);
	// nil: it never does.
	Apart func() bool
	// HalfLife is the age at which an entry counts half as much (MEM-9); 0: age does not count.
	HalfLife fsm.Millis
	Now      func() fsm.Millis // required with a HalfLife
}

// Memory is the entries and their index. It is safe for concurrent use. Every method except
// [Memory.Counts] waits, as [Memory.Wait] does, until the index is ready.
type Memory struct {
	entries Entries
	o       Options

	begun  sync.Once     // by Load, or by a Close before it
	ready  chan struct{} // closed when the index is ready
	failed error         // why it could not be made; set before ready is closed
	ctx    context.Context
	stop   context.CancelFunc

	writing sync.Mutex     // held during a write and its indexing, so that both happen in the same order
	byID    map[string]int // the slots of entries; nil: not made yet, see find. Guarded by writing

	mu       sync.RWMutex // guards the index, below
	slots    []slot
	names    []byte // the ids of all entries
	keywords keywords
	vectors  vectors
	shared   *index.Reader // holds what entries have in common
	pending  pending

	made bool  // the index was built from the entries
	kept *kept // the index in the store; nil: there is none. Writes to it hold writing
}

// slot is what is kept in memory of an entry besides its keywords and its vector. The slot of an
// entry that is gone or was replaced stays empty.
type slot struct {
	at     fsm.Millis
	name   uint32 // where its id begins in names
	length uint32 // of the id
	about  int32  // the number of its About (index.Reader)
	blank  bool   // its summary has nothing to embed
	gone   bool
}

// Most of the memory in use is the slots. They have no pointers, so the garbage collector need not
// scan them.

// slot adds the slot of an entry.
func (m *Memory) slot(id string, at fsm.Millis, about int32, blank bool) {
	m.slots = append(m.slots, slot{at: at, name: uint32(len(m.names)), length: uint32(len(id)), about: about, blank: blank})
	m.names = append(m.names, id...)
}

// nameOf returns the id of a slot's entry. It is valid until the next slot is added.
func (m *Memory) nameOf(s *slot) []byte { return m.names[s.name : s.name+s.length] }

// Open reads the index, or every entry if there is none, and returns the memory over s.
func Open(s Entries, o Options) (*Memory, error) {
	m := Begin(s, o)
	return m, m.Wait(context.Background())
}

// Begin returns a memory that gets ready in the background.
func Begin(s Entries, o Options) *Memory {
	m := New(s, o)
	m.Load()
	return m
}

// New returns a memory that reads nothing before [Memory.Load], so that a daemon can serve first
// (MEM-7).
func New(s Entries, o Options) *Memory {
	m := newMemory(s, o)
	m.ready = make(chan struct{})
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// Load starts getting the memory ready, in the background.
func (m *Memory) Load() {
	m.begun.Do(func() {
		go func() {
			defer close(m.ready)
			m.failed = m.load(m.ctx)
		}()
	})
}

func newMemory(s Entries, o Options) *Memory {
	return &Memory{entries: s, o: o, keywords: newKeywords(), shared: index.NewReader()}
}

// Wait waits until the index is ready, or returns why it cannot be.
func (m *Memory) Wait(ctx context.Context) error {
	select {
	case <-m.ready: // takes precedence over the end of ctx
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

// Made reports, once the index is ready, whether it was built from the entries: that leaves more
// garbage than it keeps.
func (m *Memory) Made() bool { return m.made }

// Close stops the reading of entries. If that was not complete, the memory cannot be used
// afterwards.
func (m *Memory) Close() {
	m.stop()
	m.begun.Do(func() {
		m.failed = errClosed
		close(m.ready)
	})
	<-m.ready
}

var errClosed = errors.New("the memory was closed before its entries were read")

// Store writes a whole entry (MEM-1), which can then be found. It replaces an entry with the same
// id (MEM-2); an entry that a person had forgotten stays so (MEM-10). After an error nothing has
// changed.
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

// put writes an entry and indexes it. The caller holds writing.
func (m *Memory) put(e fsm.Entry) error {
	list := counted(terms(e.Summary+"\n"+e.Text, indexed))
	if err := m.write(e, list); err != nil {
		return err
	}
	failpoint.Hit(failpoint.EntryPut)
	m.mu.Lock()
	m.index(e, list)
	m.mu.Unlock()
	if m.kept == nil {
		return nil
	}
	return m.kept.settle(m)
}

// write writes an entry with its part of the index in the same batch.
func (m *Memory) write(e fsm.Entry, terms []index.Term) error {
	if m.kept == nil {
		return m.entries.PutEntry(e)
	}
	if err := m.kept.seal(m); err != nil { // a crash may have come between the last entry of a segment and its sealing
		return err
	}
	edit := m.edit()
	if at, known := m.find(e.ID); known {
		if err := edit.replace(at, e.ID); err != nil {
			return fmt.Errorf("find what is replaced in the memory's index: %w", err)
		}
	}
	at := len(m.slots)
	edit.add(at, index.Doc{About: aboutOf(e), ID: e.ID, At: int64(e.At), Length: sum(terms), Blank: blank(e.Summary)}, terms)
	edit.vector(at, e)
	return m.kept.in.PutIndexed(e, edit.apply)
}

// Forget drops entries, durably, and returns how many there were (MEM-10). If it returns both their
// number and an ErrDamaged, they are dropped, but their text is still in a table that cannot be read.
func (m *Memory) Forget(ctx context.Context, ids ...string) (int, error) {
	if err := m.Wait(ctx); err != nil {
		return 0, err
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	gone := map[string]int{}
	for _, id := range ids {
		if at, ok := m.find(id); ok {
			gone[id] = at
		}
	}
	slots := slices.Sorted(maps.Values(gone))
	dropped, err := m.drop(ids, slots)
	if !dropped {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, at := range gone {
		m.vectors.remove(at)
		m.slots[at] = slot{gone: true}
		delete(m.byID, id)
	}
	m.keywords.remove(slots...)
	return len(gone), err
}

// drop drops entries, with their slots' part of the index, in one batch, and reports whether they are
// gone.
func (m *Memory) drop(ids []string, slots []int) (dropped bool, err error) {
	if m.kept == nil {
		err = m.entries.ForgetEntries(ids)
		return err == nil || errors.Is(err, engine.ErrDamaged), err
	}
	edit := m.edit()
	if err := edit.forget(slots...); err != nil {
		return false, fmt.Errorf("find what is forgotten in the memory's index: %w", err)
	}
	// Before the entries are dropped, so that a crash leaves no copy of one that is gone.
	if err := m.kept.erase(&m.vectors, slots); err != nil {
		return false, fmt.Errorf("erase the vectors of what is forgotten: %w", err)
	}
	err = m.kept.in.ForgetIndexed(ids, edit.apply)
	return err == nil || errors.Is(err, engine.ErrDamaged), err
}

// find returns the slot of an entry. The caller holds writing. Only writes look entries up by id,
// so the first one makes the map.
func (m *Memory) find(id string) (at int, ok bool) {
	if m.byID == nil {
		m.byID = make(map[string]int, len(m.slots))
		names := string(m.names)
		for at := range m.slots {
			if s := &m.slots[at]; !s.gone {
				m.byID[names[s.name:s.name+s.length]] = at
			}
		}
	}
	at, ok = m.byID[id]
	return at, ok
}

// index adds an entry, or its new version, at the end of the tail.
func (m *Memory) index(e fsm.Entry, terms []index.Term) {
	if at, known := m.find(e.ID); known {
		m.keywords.remove(at)
		m.vectors.remove(at)
		m.slots[at] = slot{gone: true}
	}
	at := len(m.slots)
	m.byID[e.ID] = at // made by find
	m.slot(e.ID, e.At, m.shared.Share(aboutOf(e)), blank(e.Summary))
	m.keywords.put(at, terms)
	if m.vectors.space == (space{}) {
		m.vectors.space = spaceOf(e)
	}
	m.vectors.put(at, e)
	m.pending.from(at)
}

// errOthersStay is the error when the vectors in use stay as they were.
var errOthersStay = errors.New("the vectors of the previous model cannot be replaced")

// inUse returns the space of the vectors in use.
func (m *Memory) inUse() space {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.vectors.space
}

// use makes s the space in use, unless it has changed from before, the space in use when a vector
// of s was asked for: then another caller was first, and s is not taken into use (MEM-16). The zero
// space changes nothing.
func (m *Memory) use(s, before space) error {
	if now := m.inUse(); s == (space{}) || s == now || before != now {
		return nil
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	if before != m.vectors.space { // another caller was first
		return nil
	}
	other := vectors{space: s}
	err := m.entries.Entries(func(e fsm.Entry) error {
		if at, ok := m.find(e.ID); ok {
			other.put(at, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	earlier := m.exchange(other)
	if m.kept == nil || !m.kept.in.IndexWritable() {
		return nil
	}
	if err := m.kept.dropVectors(); err != nil {
		m.exchange(earlier) // whose rows are all still in the store
		return fmt.Errorf("%w: %w", errOthersStay, err)
	}
	return m.kept.keepRows(context.Background(), m)
}

// exchange replaces the vectors in use, once no search compares them, and returns them. Their rows
// in the store may be dropped only after that (MEM-16).
func (m *Memory) exchange(v vectors) (earlier vectors) {
	m.mu.Lock()
	defer m.mu.Unlock()
	earlier, m.vectors = m.vectors, v
	m.pending.from(0)
	return earlier
}
