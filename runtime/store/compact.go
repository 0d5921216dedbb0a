package store

import (
	"context"
	"sync"
)

// compactShare is the part of the database's size that dropped data may have before it
// is compacted: the disk gets back what was dropped but for that part, and what is
// kept is not written anew for little.
const compactShare = 8

// compactBytesMin is how much must have been dropped in any case.
const compactBytesMin = 1 << 20

// compaction gives to the disk what was dropped. Pebble does so by and by where more is
// written; a store that is idle would keep its size.
type compaction struct {
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	busy    bool  // one runs
	dropped int64 // bytes since the last one began
}

func newCompaction() *compaction {
	c := &compaction{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// end waits until none runs.
func (c *compaction) end() {
	c.cancel()
	c.running.Wait()
}

// freed notes that bytes were dropped, and once they are a good part of the whole
// compacts the database in the background, again while more are dropped.
func (s *Store) freed(bytes int64) {
	c := s.compact
	c.mu.Lock()
	c.dropped += bytes
	begins := !c.busy && c.dropped >= compactBytesMin
	c.busy = c.busy || begins
	c.mu.Unlock()
	if begins {
		c.running.Go(s.compactAll)
	}
}

// worthCompacting reports whether enough was dropped. The caller holds mu. Where the
// store has failed Pebble may never answer.
func (s *Store) worthCompacting() bool {
	var used uint64
	failed := s.failure.guard(func() error {
		used = s.db.Metrics().DiskSpaceUsage()
		return nil
	})
	dropped := s.compact.dropped
	return failed == nil && dropped >= compactBytesMin && dropped >= int64(used)/compactShare
}

// compactAll compacts until too little is left to.
func (s *Store) compactAll() {
	c := s.compact
	for {
		c.mu.Lock()
		c.busy = c.ctx.Err() == nil && s.worthCompacting()
		if !c.busy {
			c.mu.Unlock()
			return
		}
		c.dropped = 0
		c.mu.Unlock()
		var err error // of reading: a write that fails does not return
		failed := s.failure.guard(func() error {
			err = s.db.Compact(c.ctx, []byte{0}, []byte{0xff}, false)
			return nil
		})
		if failed != nil {
			return
		}
		if err != nil && c.ctx.Err() == nil {
			s.failure.log.Error("giving to the disk what was trimmed", "error", err)
		}
	}
}
