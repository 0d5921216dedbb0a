package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/daemon"
	"shelly/runtime/session"
	"shelly/runtime/store"
)

const day = 24 * time.Hour

// calendar is a clock that the test controls.
type calendar struct{ days atomic.Int64 }

func (c *calendar) now() time.Time {
	return time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC).Add(time.Duration(c.days.Load()) * day)
}

// book is a log that can be read while it is written.
type book struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) count(words string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.text.String(), words)
}

// counting is a store that counts how often it was trimmed.
type counting struct {
	*store.Store
	trims atomic.Int64
}

func (c *counting) Trim(k engine.Keep) (engine.Trimmed, error) {
	defer c.trims.Add(1)
	return c.Store.Trim(k)
}

// pass lets days pass, and the daemon tidy on each of them.
func (c *calendar) pass(f *fixture, s *counting, days int) {
	f.t.Helper()
	for range days {
		c.days.Add(1)
		next := s.trims.Load() + 2 // one may be under way
		f.until("the day's tidying", func() bool { return s.trims.Load() >= next })
	}
}

// keeping starts a daemon over a house's store that keeps what was done for 80 days.
func (h house) keeping(t *testing.T, c *calendar) (*fixture, *counting, *session.Sessions, *book) {
	t.Helper()
	s, err := store.Open("store", store.Options{FS: h.disk})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := session.Open(h.dir, s, c.now)
	if err != nil {
		t.Fatal(err)
	}
	log, trimmed := &book{}, &counting{Store: s}
	f := startWith(t, func(o *daemon.Options) {
		o.Journal, o.Sessions, o.Now = trimmed, kept, c.now
		o.Log, o.Retention = slog.New(slog.NewTextHandler(log, nil)), eighty
		talks(&o.Config)
	})
	t.Cleanup(func() {
		f.end()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return f, trimmed, kept, log
}

// eighty is 80 days.
var eighty = engine.Retention{Age: fsm.Millis((80 * day).Milliseconds())}

// until makes the daemon tidy, as it does each hour, until a condition holds.
func (f *fixture) until(what string, holds func() bool) {
	f.t.Helper()
	for !holds() {
		if err := f.Retain(f.ctx, eighty); err != nil {
			f.t.Fatalf("%s is not so: %v", what, err)
		}
	}
}

// What is older than the retention is dropped, in the running daemon and in the archives of
// sessions; histories, and everything younger, stay (JRN-20, SES-19).
func TestJRN20WhatIsOldIsDropped(t *testing.T) {
	clock, h := &calendar{}, house{t.TempDir(), vfs.NewMem()}
	f, s, kept, log := h.keeping(t, clock)
	say := func(id string) {
		f.ask(id, "question "+id)
		f.next().says("answer " + id)
		f.replied(id)
		for len(f.Status(f.ctx).Active) > 0 && f.ctx.Err() == nil { // its session is saved after the reply
		}
	}
	known := func(id string) bool {
		_, ok, err := s.Request(fsm.RequestKey{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	archived := func() (texts []string) {
		parts, err := kept.Archive("test:t", 0, 99)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			texts = append(texts, p.Message.Text)
		}
		return texts
	}
	say("a")
	clock.pass(f, s, 60)
	f.until("a snapshot to trim up to", func() bool { k, err := s.Kept(); return err == nil && len(k.Snapshots) == 1 })
	say("b")
	if first := f.Status(f.ctx).Journal.First; first != 1 || !known("a") {
		t.Fatalf("the first record is %d: something was dropped too early", first)
	}
	last := f.Status(f.ctx).Journal
	clock.pass(f, s, 21)
	f.until("a is dropped", func() bool { return !known("a") && len(archived()) == 2 })
	got := f.Status(f.ctx).Journal
	if got.First <= 1 || got.First > last.Last || got.Bytes <= 0 || got.Bytes >= last.Bytes || !known("b") {
		t.Errorf("of %+v is left %+v, and of request b %v", last, got, known("b"))
	}
	if texts := archived(); texts[0] != "question b" {
		t.Errorf("the archive holds %q", texts)
	}
	state, err := kept.Load(f.ctx, "test:t")
	if err != nil || len(state.History) != 4 {
		t.Errorf("the history has %d messages, error %v; want all 4", len(state.History), err)
	}
	f.until("it says so", func() bool { return log.count(`"dropped old messages from the archives`) == 1 })
	if n := log.count(`msg="dropped what is older than the retention" records=`); n != 1 {
		t.Errorf("it says so %d times", n)
	}
}

// If records are dropped because there are too many, the archives are shortened to the same
// time, and no further (SES-19).
func TestSES19ArchivesBeginNoEarlierThanTheJournal(t *testing.T) {
	clock, h := &calendar{}, house{t.TempDir(), vfs.NewMem()}
	f, s, kept, log := h.keeping(t, clock)
	say := func(id string) {
		f.ask(id, strings.Repeat("question "+id+" ", 1000))
		f.next().says("answer " + id)
		f.replied(id)
		for len(f.Status(f.ctx).Active) > 0 && f.ctx.Err() == nil { // its session is saved after the reply
		}
	}
	first := func() uint64 {
		parts, err := kept.Archive("test:t", 0, 1)
		if err != nil || len(parts) != 1 {
			t.Fatalf("%d parts, %v", len(parts), err)
		}
		return parts[0].Number
	}
	say("a")
	clock.pass(f, s, 1)
	say("b")
	if at := first(); at != 1 {
		t.Fatalf("the archive begins with %d: it was shortened before the journal was", at)
	}
	clock.pass(f, s, 1)
	for first() == 1 && f.ctx.Err() == nil {
		if err := f.Retain(f.ctx, engine.Retention{Bytes: 1 << 10}); err != nil {
			t.Fatal(err)
		}
	}
	if k, err := s.Kept(); first() != 3 || k.First < 2 || err != nil {
		t.Errorf("the archive begins with %d, the journal with %d, %v; want b's question, 3", first(), k.First, err)
	}
	f.until("it says so", func() bool { return log.count(`"dropped old messages from the archives`) > 0 })
}

// What is too old is dropped at the start, too, unless the clock has gone ahead by more than a
// day since the last input (JRN-38).
func TestJRN20WhatIsOldIsDroppedAtTheStart(t *testing.T) {
	clock, h := &calendar{}, house{t.TempDir(), vfs.NewMem()}
	t.Run("before", func(t *testing.T) {
		f, s, _, _ := h.keeping(t, clock)
		f.ask("a", "question")
		f.next().says("answer")
		f.replied("a")
		clock.pass(f, s, 11) // to a snapshot
	})
	clock.days.Store(99)
	t.Run("after 88 days", func(t *testing.T) {
		f, _, _, _ := h.keeping(t, clock)
		if first := f.Status(f.ctx).Journal.First; first != 1 {
			t.Errorf("the first record is %d: something was dropped", first)
		}
	})
	clock.days.Store(100)
	f, _, _, _ := h.keeping(t, clock)
	if first := f.Status(f.ctx).Journal.First; first <= 1 {
		t.Errorf("the first record is %d: nothing was dropped", first)
	}
	if _, ok, err := f.Request(f.ctx, fsm.RequestKey{ID: "a"}); ok || err != nil {
		t.Errorf("the request is still there, %v", err)
	}
}

// spied is a journal that notes since when it was asked to keep what it holds.
type spied struct {
	*engine.MemoryJournal
	since atomic.Int64
}

func (j *spied) Trim(k engine.Keep) (engine.Trimmed, error) {
	j.since.Store(int64(k.Since))
	return j.MemoryJournal.Trim(k)
}

// A clock that goes ahead by more than a day is believed only after a day, and not at all if
// it is set right before.
func TestJRN38AClockThatGoesAheadDropsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j, wrong := &spied{MemoryJournal: engine.NewMemoryJournal()}, atomic.Int64{}
		config := profile.Shelly()
		config.Init = fsm.InitOff
		d, err := daemon.Open(daemon.Options{
			Config: config, Journal: j, Retention: eighty, Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return time.Now().Add(time.Duration(wrong.Load())) },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = d.Run(ctx) }()
		begin := time.Now()
		after := func(hours int, want time.Duration) {
			t.Helper()
			time.Sleep(time.Duration(hours) * time.Hour)
			synctest.Wait()
			got := time.UnixMilli(j.since.Load()).Add(80 * day).Sub(begin)
			if got.Round(time.Hour) != want {
				t.Errorf("the present is %s after the begin, want %s", got, want)
			}
		}
		time.Sleep(time.Second)
		after(3, 3*time.Hour)
		wrong.Store(int64(100 * day))
		after(20, 3*time.Hour)
		wrong.Store(0)
		after(1, 24*time.Hour)
		wrong.Store(int64(20 * time.Hour))
		after(1, 45*time.Hour)
		wrong.Store(int64(100 * day))
		after(24, 45*time.Hour)
		after(2, 100*day+51*time.Hour)
	})
}

// worn is a journal that cannot be trimmed.
type worn struct {
	*engine.MemoryJournal
	tries atomic.Int64
}

func (j *worn) Trim(engine.Keep) (engine.Trimmed, error) {
	j.tries.Add(1)
	return engine.Trimmed{}, errors.New("a record is damaged")
}

// An idle daemon looks each hour for what has become too old. The test controls the
// time.
func TestJRN20AnIdleDaemonTidiesEachHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := &worn{MemoryJournal: engine.NewMemoryJournal()}
		config := profile.Shelly()
		config.Init = fsm.InitOff
		d, err := daemon.Open(daemon.Options{
			Config: config, Journal: j, Retention: engine.Retention{Bytes: 1 << 40}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _, _ = d.Run(ctx) }()
		time.Sleep(time.Second) // it serves, and has looked then
		synctest.Wait()
		before := j.tries.Load()
		for hour := range int64(3) {
			time.Sleep(daemon.TidyEvery)
			synctest.Wait()
			if got := j.tries.Load() - before; got != hour+1 {
				t.Errorf("after %d hours it has looked %d times", hour+1, got)
			}
		}
	})
}

// A daemon whose journal cannot be trimmed says so and serves.
func TestADamagedOldRecordEndsNothing(t *testing.T) {
	j := &worn{MemoryJournal: engine.NewMemoryJournal()}
	f := startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Switches.History = fsm.HistoryNone
		o.Journal, o.Retention = j, engine.Retention{Age: 60_000}
	})
	f.until("a second try", func() bool { return j.tries.Load() > 1 }) // at the start, and once it serves
	f.ask("a", "one")
	f.next().says("two")
	f.replied("a")
	f.end()
	if log := f.log.String(); !strings.Contains(log, "a record is damaged") {
		t.Errorf("the log is %s", log)
	}
}
