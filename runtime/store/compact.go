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
	busy    chan struct{} // of one place: one runs at a time
	dropped int64         // bytes since the last one; of the goroutine that trims
}

func newCompaction() *compaction {
	c := &compaction{busy: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// end waits until none runs.
func (c *compaction) end() {
	c.cancel()
	c.running.Wait()
}

// freed notes that bytes were dropped, and once they are a good part of the whole
// compacts the database in the background.
func (s *Store) freed(bytes int64) {
	c := s.compact
	c.dropped += bytes
	if c.dropped < compactBytesMin || c.dropped < int64(s.db.Metrics().DiskSpaceUsage())/compactShare {
		return
	}
	select {
	case c.busy <- struct{}{}:
	default:
		return // the next Trim asks again
	}
	c.dropped = 0
	c.running.Go(func() {
		defer func() { <-c.busy }()
		var err error // of reading: a write that fails does not return
		failed := s.failure.guard(func() error {
			err = s.db.Compact(c.ctx, []byte{0}, []byte{0xff}, false)
			return nil
		})
		if failed == nil && err != nil && c.ctx.Err() == nil {
			s.failure.log.Error("giving to the disk what was trimmed", "error", err)
		}
	})
}
