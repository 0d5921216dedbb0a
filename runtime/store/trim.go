package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
	"shelly/runtime/store/files"
)

// trimming is one Trim: a batch of what it drops, and how much that is.
type trimming struct {
	*Store
	batch *writing
	since fsm.Millis
	first uint64 // the first record that is kept in the end
	out   engine.Trimmed
	bytes int64 // of keys and values
}

// Trim implements [engine.Journal]: one batch, so that a crash leaves what was there
// or what is to be there (JRN-28). What was dropped goes from the disk after it.
func (s *Store) Trim(keep engine.Keep) (engine.Trimmed, error) {
	if err := s.usable(); err != nil {
		return engine.Trimmed{}, err
	}
	t := &trimming{Store: s, batch: s.write(), since: keep.Since}
	cut := s.extent.choose(keep)
	first, _ := s.extent.ends()
	t.first = max(first, cut+1)
	if err := errors.Join(t.records(cut), t.requests(), t.messages(), t.audit(), t.texts(keep)); err != nil {
		return engine.Trimmed{}, errors.Join(err, t.batch.Close())
	}
	if cut > 0 {
		// Before it is so: a concurrent reader then learns that they are gone, and not
		// that they are missing.
		records, snapshots, bytes := s.extent.trim(cut)
		t.out.Records, t.out.Snapshots, t.bytes = records, snapshots, t.bytes+bytes
	}
	if t.batch.Empty() {
		return t.out, t.batch.Close()
	}
	failpoint.Hit(failpoint.TrimBefore)
	if err := t.batch.commit(true); err != nil {
		return engine.Trimmed{}, err
	}
	s.latest.clear()
	failpoint.Hit(failpoint.TrimAfter)
	s.freed(t.bytes + t.batch.freed)
	return t.out, nil
}

// records drops those up to a snapshot, and the snapshots before it.
func (t *trimming) records(cut uint64) error {
	if cut == 0 {
		return nil
	}
	return errors.Join(
		t.batch.dropRange([]byte{kindRecord}, recordKey(cut+1)),
		t.batch.dropRange([]byte{kindSnapshot}, snapshotKey(cut)),
	)
}

// drop deletes a key whose value has the given size in bytes.
func (t *trimming) drop(bytes int, keys ...[]byte) (err error) {
	t.bytes += int64(bytes)
	for _, key := range keys {
		t.bytes += int64(len(key))
		err = errors.Join(err, t.batch.drop(key))
	}
	return err
}

// sweep is where the next Trim goes on, kind by kind, where the last one has dropped as
// much as it may: what is deleted already need not be passed over again. It belongs to
// the goroutine that trims.
type sweep map[byte][]byte

// each calls fn for each key of a kind from where the last Trim has left it, or from the
// first one where nothing after that is dropped. It ends when fn returns errEnough, or
// when dropped, which fn counts, is TrimMax.
func (t *trimming) each(kind byte, dropped *int, fn func(key []byte, v stored) error) error {
	from, resumed := t.sweep[kind]
	if !resumed {
		from = []byte{kind}
	}
	delete(t.sweep, kind)
	err := t.scan(from, []byte{kind + 1}, func(key []byte, v stored) error {
		if *dropped == engine.TrimMax {
			t.sweep[kind] = bytes.Clone(key)
			return errEnough
		}
		return fn(key, v)
	})
	if err == nil && resumed && *dropped == 0 {
		return t.each(kind, dropped, fn)
	}
	return err
}

// requests drops those that were answered before the time.
func (t *trimming) requests() error {
	return t.each(kindRequestAt, &t.out.Requests, func(key []byte, v stored) error {
		r, err := t.requestAt(key, v.value)
		if err != nil {
			return err
		}
		if r.Accepted >= t.since {
			return errEnough
		}
		if !r.Done || r.Replied >= t.since {
			return nil
		}
		t.out.Requests++
		return t.drop(len(r.Text)+len(r.Reply), key, requestKey(r.Key))
	})
}

// messages drops those that were sent before the time, channel by channel.
func (t *trimming) messages() error {
	for from := []byte{kindMessage}; from != nil; {
		var next []byte
		err := t.scan(from, []byte{kindMessage + 1}, func(key []byte, v stored) error {
			if t.out.Messages == engine.TrimMax {
				return errEnough
			}
			m, err := decode[engine.Message](key, v, "message")
			if err != nil {
				return err
			}
			if m.At >= t.since {
				next = behind(appendPart([]byte{kindMessage}, m.To.Channel))
				return errEnough
			}
			t.out.Messages++
			return t.drop(len(v.value), key)
		})
		if err != nil {
			return err
		}
		from = next
	}
	return nil
}

// audit drops the records of calls that ended before the time, or at a step that is dropped.
func (t *trimming) audit() error {
	return t.each(kindAudit, &t.out.Audit, func(key []byte, v stored) error {
		position := numberOf(key)
		a, err := decode[engine.Audit](key, v, auditName(position))
		if err != nil {
			return err
		}
		if a.At >= t.since && engine.IndexOf(position) >= t.first {
			return errEnough
		}
		t.out.Audit++
		return t.drop(len(v.value), key, numbered(kindAuditOf, a.Session, position))
	})
}

// texts drops those that are old, and those of handles that are done.
func (t *trimming) texts(keep engine.Keep) error {
	return t.each(kindTextAt, &t.out.Texts, func(key []byte, v stored) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := v.body(key, textName(k))
		if err != nil {
			return err
		}
		at, _, err := textIn(body, textName(k))
		if err != nil || !keep.Forgets(engine.Text{TextKey: k, At: at}) {
			return err
		}
		t.out.Texts++
		return t.drop(t.textBytes(k), key, textKey(k))
	})
}

// textBytes is how long a text is, as it is stored.
func (t *trimming) textBytes(k engine.TextKey) int {
	value, closer, err := t.db.Get(textKey(k))
	if err != nil {
		return 0
	}
	defer closer.Close()
	return len(value)
}

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

	held      atomic.Bool // none begins before release
	written   atomic.Int64
	scheduler scheduler // of the database that is open to be written

	mu      sync.Mutex
	busy    bool  // one runs
	dropped int64 // bytes since the last one began
}

func newCompaction() *compaction {
	c := &compaction{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.held.Store(true)
	return c
}

// An opening writes what was in the log into a table, after which a compaction may be due; and
// it would wait for one that has begun. So none begins before the store is at rest for the
// first time, has had as much written as makes a table, or is asked to compact. A store that is
// never open for so long begins one once there are too many tables (JRN-37).
const (
	heldBytesMax  = memtableBytes
	heldTablesMax = 8 // one above another
)

// release lets compactions begin.
func (c *compaction) release() {
	if !c.held.CompareAndSwap(true, false) {
		return
	}
	if may, grant := c.scheduler.TrySchedule(); may {
		grant.Done() // for nothing: it begins what has waited
	}
}

// wrote notes that bytes were written.
func (c *compaction) wrote(bytes int) {
	if c.held.Load() && c.written.Add(int64(bytes)) >= heldBytesMax {
		c.release()
	}
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

// stallMargin is how many tables may come between a look at how many there are and the write
// after it.
const stallMargin = 10

// admit counts the bytes of a write that comes. It fails the store where so many tables have
// gathered that Pebble would let a write wait for a compaction, and none comes any more: it
// would wait for good.
func (s *Store) admit(bytes int) error {
	s.compact.wrote(bytes)
	if !s.compact.off() || s.db.Metrics().Levels[0].Sublevels < stallTables-stallMargin {
		return nil
	}
	return s.failure.fail(corrupt("the tables cannot be compacted", "there are too many to go on"))
}

// scheduler begins compactions one at a time, and none before they are released or once they are
// off. Pebble's own has
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

// compacted is a database of which no compaction is begun before they are released or once they
// are off.
type compacted struct {
	pebble.DBForCompaction
	compact *compaction
}

// GetAllowedWithoutPermission implements pebble.DBForCompaction.
func (c compacted) GetAllowedWithoutPermission() int {
	if c.compact.held.Load() || c.compact.off() {
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
			c.release()
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
