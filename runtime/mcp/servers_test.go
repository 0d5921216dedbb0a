package mcp

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The waits grow while a list keeps changing, and not for as long as its server runs.
func TestTOL94AListThatChangesSeldomIsReadSoon(t *testing.T) {
	p := usual()
	wait := time.Duration(0)
	for i, c := range []struct{ since, want time.Duration }{
		{time.Second, 10 * time.Second}, {time.Second, 20 * time.Second}, {4 * time.Minute, 40 * time.Second}, {0, 80 * time.Second}, {0, 160 * time.Second}, {0, 5 * time.Minute}, {0, 5 * time.Minute},
		{5 * time.Minute, 10 * time.Second}, {0, 20 * time.Second},
	} {
		if wait = p.again(wait, c.since); wait != c.want {
			t.Fatalf("change %d: it waits %v; want %v", i, wait, c.want)
		}
	}
}

func TestTOL95ServersEndAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		var told sync.WaitGroup
		for range 2 {
			r := &server{done: make(chan struct{})}
			told.Add(1)
			r.cancel = func(error) {
				go func() {
					told.Done()
					told.Wait()
					s.Refused("the key of a call") // the daemon's loop, which must not wait
					close(r.done)
				}()
			}
			s.list = append(s.list, r)
		}
		s.Close()
		if left := s.States(); len(left) > 0 {
			t.Errorf("%d servers are left", len(left))
		}
	})
}
