package daemon

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// gated is a journal with one request, which can be read once the gate is open.
type gated struct {
	*engine.MemoryJournal
	reads chan struct{} // one for each reading that has come
	gate  chan struct{}
}

func (j gated) Request(fsm.RequestKey) (engine.Request, bool, error) {
	return engine.Request{Index: 1, Handle: 1}, true, nil
}

func (j gated) Replay(uint64, func(engine.Record) error) error {
	j.reads <- struct{}{}
	<-j.gate
	return nil
}

func TestCOM95TheJournalIsReadOnceForAllWhoWait(t *testing.T) {
	const clients = 50
	j := gated{engine.NewMemoryJournal(), make(chan struct{}, clients), make(chan struct{})}
	r := &retold{}
	var told sync.WaitGroup
	come := func() {
		told.Go(func() {
			if _, err := r.ask(context.Background(), j, &retelling{ctx: context.Background()}); err != nil {
				t.Error(err)
			}
		})
	}
	come()
	<-j.reads
	for range clients - 1 {
		come()
	}
	for waiting := 0; waiting < clients-1; runtime.Gosched() {
		r.mu.Lock()
		waiting = len(r.waiting)
		r.mu.Unlock()
	}
	close(j.gate)
	told.Wait()
	if n := 1 + len(j.reads); n != 2 {
		t.Errorf("for %d clients the journal is read %d times", clients, n)
	}
	r.close()
	if _, err := r.ask(context.Background(), j, &retelling{ctx: context.Background()}); !errors.Is(err, engine.ErrStopping) {
		t.Errorf("after the end: %v", err)
	}
}
