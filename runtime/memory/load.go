package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/memory/index"
)

// chunk is how many entries are prepared at a time.
const chunk = 512

// prepared is an entry with its keywords.
type prepared struct {
	entry fsm.Entry
	terms []index.Term
}

// load reads the index from the store. If there is none, or it is damaged or of another version, it
// is rebuilt from the entries (MEM-7).
func (m *Memory) load(ctx context.Context) error {
	in, ok := m.entries.(Index)
	if !ok {
		return m.build(ctx, nil)
	}
	k := &kept{in, &m.writing}
	err := m.restore(ctx, k)
	if err == nil || errors.Is(err, errClosed) {
		return err
	}
	if !errors.Is(err, errNoIndex) && !errors.Is(err, engine.ErrDamaged) && !errors.Is(err, index.ErrMalformed) {
		return fmt.Errorf("read the memory's index: %w", err)
	}
	// Below the reserve the disk has no room for what is dispensable.
	if !in.IndexWritable() || m.entries.Space() != nil {
		return m.build(ctx, nil)
	}
	if err := in.DropIndex(); err != nil {
		return err
	}
	if err := m.build(ctx, k); err != nil {
		return err
	}
	if err := k.keep(ctx, m); err != nil {
		return fmt.Errorf("write the memory's index: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = k
	return nil
}

// build reads every entry. Most of the time goes into finding the keywords, which is spread over
// all processors; entries are added in their order. If k is not nil, segments are written to it.
func (m *Memory) build(ctx context.Context, k *kept) error {
	m.made = true
	chunks := make(chan chan []prepared, runtime.GOMAXPROCS(0))
	var failed, unsealed error
	go func() {
		defer close(chunks)
		failed = m.read(ctx, chunks)
	}()
	var newest fsm.Entry // the newest entry with a vector
	for c := range chunks {
		for _, p := range <-c {
			m.mu.Lock()
			m.index(p.entry, p.terms)
			m.mu.Unlock()
			if k != nil && unsealed == nil {
				unsealed = k.seal(m)
			}
			if spaceOf(p.entry) != (space{}) && (spaceOf(newest) == (space{}) || p.entry.At > newest.At) {
				newest = p.entry
			}
		}
	}
	if failed = cmp.Or(failed, unsealed); failed == nil {
		failed = m.use(spaceOf(newest), m.inUse())
	}
	if failed != nil {
		return fmt.Errorf("read the memory entries: %w", failed)
	}
	return nil
}

// read reads the entries and sends them in chunks, in their order, while their keywords are still
// being found.
func (m *Memory) read(ctx context.Context, chunks chan<- chan []prepared) error {
	var entries []fsm.Entry
	splitters := sync.Pool{New: func() any { return newSplitter() }}
	flush := func() {
		some, done := entries, make(chan []prepared, 1)
		entries = nil
		chunks <- done
		go func() {
			sp := splitters.Get().(*splitter)
			done <- prepare(some, sp)
			splitters.Put(sp)
		}()
	}
	err := m.entries.Entries(func(e fsm.Entry) error {
		if ctx.Err() != nil {
			return errClosed
		}
		if entries = append(entries, e); len(entries) == chunk {
			flush()
		}
		return nil
	})
	if len(entries) > 0 {
		flush()
	}
	return err
}

func prepare(entries []fsm.Entry, sp *splitter) []prepared {
	list := make([]prepared, len(entries))
	for i, e := range entries {
		list[i] = prepared{e, counted(sp.terms(e.Summary+"\n"+e.Text, indexed))}
		list[i].entry.Text = "" // the text stays on disk
	}
	return list
}
