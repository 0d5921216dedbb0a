package memory

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"shelly/fsm"
)

// chunk is how many entries are taken apart at a time.
const chunk = 512

// prepared is an entry with its keywords.
type prepared struct {
	entry fsm.Entry
	terms []string
}

// load reads every entry. Finding the keywords takes most of the time and is shared
// by all processors; entries are taken in in their order.
func (m *Memory) load(ctx context.Context) error {
	chunks := make(chan chan []prepared, runtime.GOMAXPROCS(0))
	var failed error
	go func() {
		defer close(chunks)
		failed = m.read(ctx, chunks)
	}()
	var newest fsm.Entry // of those with a vector
	for c := range chunks {
		for _, p := range <-c {
			m.mu.Lock()
			m.index(p.entry, p.terms)
			m.mu.Unlock()
			if spaceOf(p.entry) != (space{}) && (spaceOf(newest) == (space{}) || p.entry.At > newest.At) {
				newest = p.entry
			}
		}
	}
	if failed == nil {
		failed = m.use(spaceOf(newest))
	}
	if failed != nil {
		return fmt.Errorf("read the memory entries: %w", failed)
	}
	return nil
}

// read reads the entries and sends them on, chunk by chunk, as they are prepared.
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
		list[i] = prepared{e, sp.terms(e.Summary+"\n"+e.Text, indexed)}
		list[i].entry.Text = "" // it stays on disk
	}
	return list
}
