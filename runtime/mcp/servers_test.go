package mcp

import (
	"sync"
	"testing"
	"testing/synctest"
)

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
