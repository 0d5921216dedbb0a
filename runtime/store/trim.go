package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm/engine"
	"shelly/runtime/failpoint"
)

// trimming is the state of one Trim: the batch that deletes, and how much it deletes.
type trimming struct {
	*Store
	batch *writing
	keep  engine.Keep
	first uint64 // the first record that is kept after the Trim
	out   engine.Trimmed
	bytes int64 // the size of the deleted keys and values
	stays error // why something that may be old stays: the first damage that was met
}

// Trim implements [engine.Journal]: it is one batch, so a crash leaves either the old state or the
// new one (JRN-28). The disk space is freed later.
func (s *Store) Trim(keep engine.Keep) (engine.Trimmed, error) {
	if err := s.usable(); err != nil {
		return engine.Trimmed{}, err
	}
	t := &trimming{Store: s, batch: s.write(), keep: keep}
	cut := s.extent.choose(keep)
	first, _ := s.extent.ends()
	t.first = max(first, cut+1)
	if err := errors.Join(t.records(cut), t.around(t.requests()), t.around(t.messages()), t.around(t.audit()), t.around(t.texts())); err != nil {
		return engine.Trimmed{}, errors.Join(err, t.batch.Close())
	}
	if cut > 0 {
		// Before the commit: a concurrent reader then finds that the records were trimmed, not that
		// they are missing.
		records, snapshots, bytes := s.extent.trim(cut)
		t.out.Records, t.out.Snapshots, t.bytes = records, snapshots, t.bytes+bytes
	}
	if t.batch.Empty() {
		return t.out, errors.Join(t.stays, t.batch.Close())
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

// records drops the records up to a snapshot, and the snapshots before it.
func (t *trimming) records(cut uint64) error {
	if cut == 0 {
		return nil
	}
	return errors.Join(
		t.batch.dropRange([]byte{kindRecord}, recordKey(cut+1)),
		t.batch.dropRange([]byte{kindSnapshot}, snapshotKey(cut)),
	)
}

// drop deletes keys whose values have the given total size in bytes.
func (t *trimming) drop(bytes int, keys ...[]byte) (err error) {
	t.bytes += int64(bytes)
	for _, key := range keys {
		t.bytes += int64(len(key))
		err = errors.Join(err, t.batch.drop(key))
	}
	return err
}

// around returns nil for an error of damage, which it notes, and any other error.
func (t *trimming) around(err error) error {
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	if t.stays == nil {
		t.stays = err
	}
	return nil
}

// sweep holds, for each kind, where the next Trim goes on if the last one dropped as much as it
// may: so it need not pass over what is already deleted. It belongs to the goroutine that trims.
type sweep map[byte][]byte

// each calls fn for each key of a kind, starting where the last Trim stopped; if nothing from there
// on is dropped, it starts at the first key. It ends when fn returns errEnough, or when dropped,
// which fn counts up, reaches TrimMax.
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

// requests drops requests answered before keep.Since.
func (t *trimming) requests() error {
	return t.each(kindRequestAt, &t.out.Requests, func(key []byte, v stored) error {
		r, err := requestAt(key, v)
		if err != nil {
			return t.around(err)
		}
		if t.keep.Ends(r.Accepted) {
			return errEnough
		}
		if !r.Done || r.Replied >= t.keep.Since {
			return nil
		}
		t.out.Requests++
		return t.drop(len(r.Text)+len(r.Reply), key, requestKey(r.Key))
	})
}

// messages drops messages sent before keep.Since, channel by channel.
func (t *trimming) messages() error {
	for from := []byte{kindMessage}; from != nil; {
		var next []byte
		err := t.scan(from, []byte{kindMessage + 1}, func(key []byte, v stored) error {
			if t.out.Messages == engine.TrimMax {
				return errEnough
			}
			m, err := decode[engine.Message](key, v, fmt.Sprintf("message %d", numberOf(key)))
			if err != nil {
				return t.around(err)
			}
			if t.keep.Ends(m.At) {
				next = prefixEnd(appendPart([]byte{kindMessage}, m.To.Channel))
				return errEnough
			}
			if m.At >= t.keep.Since {
				return nil
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

// audit drops the records of calls that ended before keep.Since, or at a step that is dropped.
func (t *trimming) audit() error {
	return t.each(kindAudit, &t.out.Audit, func(key []byte, v stored) error {
		position := numberOf(key)
		a, err := decode[engine.Audit](key, v, auditName(position))
		if err != nil {
			return t.around(err)
		}
		if a.At >= t.keep.Since && engine.IndexOf(position) >= t.first {
			if t.keep.Ends(a.At) {
				return errEnough
			}
			return nil
		}
		t.out.Audit++
		return t.drop(len(v.value), key, numbered(kindAuditOf, a.Session, position))
	})
}

// texts drops texts that are old, and those of handles that are done.
func (t *trimming) texts() error {
	return t.each(kindTextAt, &t.out.Texts, func(key []byte, v stored) error {
		k, err := textKeyOf(key)
		if err != nil {
			return t.around(err)
		}
		body, err := v.body(key, textName(k))
		if err != nil {
			return t.around(err)
		}
		at, _, err := textIn(body, textName(k))
		if err != nil || !t.keep.Forgets(engine.Text{TextKey: k, At: at}) {
			return t.around(err)
		}
		t.out.Texts++
		return t.drop(t.textBytes(k), key, textKey(k))
	})
}

// textBytes returns the length of a text as it is stored.
func (t *trimming) textBytes(k engine.TextKey) int {
	value, closer, err := t.db.Get(textKey(k))
	if err != nil {
		return 0
	}
	defer closer.Close()
	return len(value)
}

// compactShare: the database is compacted once the dropped data exceeds its size divided by this.
// So all but that part of the dropped space is freed, and little data is rewritten for nothing.
const compactShare = 8

// compactBytesMin is the least number of dropped bytes that starts a compaction.
const compactBytesMin = 1 << 20

// compaction frees the disk space of what was dropped. Pebble does this gradually as more is
// written; a store at rest would keep its size.
type compaction struct {
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	held      atomic.Bool // no compaction begins before release
	written   atomic.Int64
	scheduler scheduler // of the database that is open for writing

	mu      sync.Mutex
	busy    bool  // one is running
	dropped int64 // bytes dropped since the last one began
}

func newCompaction() *compaction {
	c := &compaction{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.held.Store(true)
	return c
}

// An opening writes what was in the log into a table, which may make a compaction due, and the
// opening would wait for it to end. So no compaction begins before the store is at rest for the
// first time, a table's worth of data has been written, or a compaction is asked for. A store that
// never stays open that long compacts once there are too many tables (JRN-37).
const (
	heldBytesMax  = memtableBytes
	heldTablesMax = 2 * overlapMax
)

// release lets compactions begin.
func (c *compaction) release() {
	if !c.held.CompareAndSwap(true, false) {
		return
	}
	if may, grant := c.scheduler.TrySchedule(); may {
		grant.Done() // unused; returning it starts what has been waiting
	}
}

// wrote records that bytes were written.
func (c *compaction) wrote(bytes int) {
	if c.held.Load() && c.written.Add(int64(bytes)) >= heldBytesMax {
		c.release()
	}
}

// end waits until no compaction runs.
func (c *compaction) end() {
	c.cancel()
	c.running.Wait()
}

// off reports whether compactions have been turned off.
func (c *compaction) off() bool { return c.ctx.Err() != nil }

// met is called with an error of a compaction, or of the search for something to compact. If it is
// one of reading, Pebble would retry at once, forever; so compactions are turned off. The store
// goes on serving what it has, and what is written piles up in more and more tables until the
// damage is repaired.
func (s *Store) met(err error) {
	if !unreadable(err) {
		s.failure.fail(fmt.Errorf("in the background: %w", err))
		return
	}
	place, _ := s.damage.note(err)
	if s.compact.off() {
		return
	}
	s.compact.cancel()
	s.failure.log.Error("a part of the store cannot be read: the rest is served, but tables are no longer compacted; "+whatToDo, "folder", s.dir, "where", place, "error", err)
}

// whatToDo is what the log says of damage to do.
const whatToDo = "shelly journal verify names what is damaged, and shelly journal repair recovers the rest once shelly has stopped"

// stallMargin is how many tables may be added between counting them and the write that follows.
const stallMargin = 10

// admit counts the bytes of a coming write. If compactions are off and there are so many tables
// that Pebble would make the write wait for a compaction, it fails the store: the write would wait
// forever.
func (s *Store) admit(bytes int) error {
	s.compact.wrote(bytes)
	if !s.compact.off() || s.db.Metrics().Levels[0].Sublevels < stallTables-stallMargin {
		return nil
	}
	return s.failure.fail(corrupt("the tables cannot be compacted", "there are too many of them to go on"))
}

// scheduler starts compactions one at a time, and none before release or once they are off.
// Pebble's own scheduler also has a clock, which one compaction at a time does not need.
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

// compacted is a database in which no compaction starts before release or once they are off.
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

// freed records that bytes were dropped. Once they are a good part of the store, it compacts the
// database in the background, and again as more is dropped.
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

// worthCompacting reports whether enough was dropped. The caller holds mu. If the store has failed,
// Pebble may never answer.
func (s *Store) worthCompacting() bool {
	var used uint64
	failed := s.failure.guard(func() error {
		used = s.db.Metrics().DiskSpaceUsage()
		return nil
	})
	dropped := s.compact.dropped
	return failed == nil && dropped >= compactBytesMin && dropped >= int64(used)/compactShare
}

// compactAll compacts until too little has been dropped to go on.
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
		var err error // an error of reading: a write that fails does not return
		failed := s.failure.guard(func() error {
			c.release()
			err = s.db.Compact(c.ctx, []byte{0}, []byte{0xff}, false)
			return nil
		})
		if failed != nil {
			return
		}
		if err != nil && c.ctx.Err() == nil {
			s.failure.log.Error("the disk space of what was trimmed cannot be freed", "error", err)
		}
	}
}
