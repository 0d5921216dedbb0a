package daemon_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// slow is a journal whose writes wait, as on a slow disk, as long as there is a hold.
type slow struct {
	*engine.MemoryJournal
	hold    chan struct{} // nil: there is none
	written []int         // how many requests each write has brought that had any
}

func (j *slow) Append(b engine.Batch, sync bool) error {
	if len(b.Requests) > 0 {
		j.written = append(j.written, len(b.Requests))
	}
	if j.hold != nil {
		<-j.hold
	}
	return j.MemoryJournal.Append(b, sync)
}

func TestJRN4RequestsThatComeDuringAWriteShareTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients = 8
		j := &slow{MemoryJournal: engine.NewMemoryJournal()}
		f := start(t, j, tools{})
		synctest.Wait()
		j.hold = make(chan struct{})
		accept := func(n int) {
			if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: fmt.Sprint(n)}, Session: fmt.Sprint(n), Text: "hello"}); err != nil {
				t.Error(err)
			}
		}
		for n := range clients {
			go accept(n)
			if n == 0 {
				synctest.Wait() // its write waits; the others come meanwhile
			}
		}
		synctest.Wait()
		close(j.hold)
		synctest.Wait()
		if got, want := fmt.Sprint(j.written), fmt.Sprint([]int{1, clients - 1}); got != want {
			t.Errorf("the writes brought %s requests; want %s", got, want)
		}
		f.kill()
	})
}
