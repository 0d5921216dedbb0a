package store

import (
	"context"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"shelly/runtime/store/files"
)

// compactShare is the part of the database's size that dropped data may have before it
// is compacted: the disk gets back what was dropped but for that part, and what is
// kept is not rewritten for little.
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

// off reports whether no compaction is begun any more.
func (c *compaction) off() bool { return c.ctx.Err() != nil }

// met is called with an error of a compaction, or of what looks what there is to compact. Where
// they cannot read, Pebble would try again at once and for good, so none is begun any more.
// What is there is served, and what is written gathers in more and more tables until the
// damage is mended.
func (s *Store) met(err error) {
	switch {
	case !unreadable(err):
		s.failure.fail(fmt.Errorf("in the background: %w", err))
		return
	}
	s.damage.note(err)
	switch {
	case s.compact.off():
		return
	}
	s.compact.cancel()
	s.failure.log.Error("a part of the store cannot be read: what can be is served, and the tables are compacted no more; "+
		"shelly journal verify names what is damaged, and shelly journal repair recovers the rest once shelly has stopped", "folder", s.dir, "where", files.Explain(err), "error", err)
}

// stalled is called when Pebble lets writes wait for a compaction. Where none comes, waiting
// would be for good.
func (s *Store) stalled() {
	if s.compact.off() {
		s.failure.fail(corrupt("the tables cannot be compacted", "there are too many to go on"))
	}
}

// scheduler begins compactions one at a time, and none once they are off. Pebble's own has
// a clock beside that, which a single compaction at a time does not need.
type scheduler struct {
	*pebble.ConcurrencyLimitScheduler
	compact *compaction
}

func newScheduler(c *compaction) scheduler {
	return scheduler{pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest(), c}
}

// Register implements pebble.CompactionScheduler.
func (s scheduler) Register(goroutines int, db pebble.DBForCompaction) {
	s.ConcurrencyLimitScheduler.Register(goroutines, compacted{db, s.compact})
}

// compacted is a database of which no compaction is begun once they are off.
type compacted struct {
	pebble.DBForCompaction
	compact *compaction
}

// GetAllowedWithoutPermission implements pebble.DBForCompaction.
func (c compacted) GetAllowedWithoutPermission() int {
	if c.compact.off() {
		return 0
	}
	return c.DBForCompaction.GetAllowedWithoutPermission()
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
