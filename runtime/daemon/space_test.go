package daemon_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
)

// tight is a journal on a disk that may be below the reserve.
type tight struct {
	*engine.MemoryJournal
	low atomic.Bool
	mu  sync.Mutex // the test reads while the loop writes
}

func (j *tight) Append(b engine.Batch, sync bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.MemoryJournal.Append(b, sync)
}

// Records returns a copy of what is there.
func (j *tight) Records() []engine.Record {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.MemoryJournal.Records())
}

func (j *tight) Space() error {
	if j.low.Load() {
		return fmt.Errorf("%w: 3 bytes left, 5 are kept in reserve", engine.ErrNoSpace)
	}
	return nil
}

func newTight() *tight { return &tight{MemoryJournal: engine.NewMemoryJournal()} }

// look lets the time pass after which the daemon checks for space again.
func look() {
	time.Sleep(time.Duration(engine.SpaceCheck) * time.Millisecond)
	synctest.Wait()
}

// refuses fails t unless the daemon refuses everything that would be written.
func (f *fixture) refuses(id string) {
	f.t.Helper()
	_, accepted := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Text: "hello"})
	for what, err := range map[string]error{
		"a request":       accepted,
		"an event":        f.Raise(f.ctx, fsm.EventRaised{Source: "disk", Event: "full"}),
		"a configuration": f.Configure(f.ctx, profile.Shelly()),
	} {
		if !errors.Is(err, engine.ErrNoSpace) || errors.Is(err, engine.ErrDead) {
			f.t.Errorf("%s: %v; want ErrNoSpace", what, err)
		}
	}
}

// Below the reserve, running calls continue and their outcomes are held back, records can be
// read, and the machine gets all outcomes, in order, once there is space (corpus/faults f031).
func TestJRN14BelowTheReserveFactsAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newTight()
		f := start(t, j, tools{}, func(c *fsm.Config) { c.Limits.MaxActive = 2 })
		ask := func(id string) engine.Acceptance {
			got, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Session: id, Text: "hello"})
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		ask("a")
		ask("b")
		a, b := f.next(), f.next()
		if a.Session != "a" { // two sessions are served at once
			a, b = b, a
		}
		events := f.watch("a")
		j.low.Store(true)
		a.stream(daemon.Piece{Text: "one"}) // what is streamed is still seen
		b.says("two")
		synctest.Wait()
		a.says("one")
		look()
		before := len(j.Records())
		f.refuses("c")
		if again := ask("a"); again.New || again.Request.Done {
			t.Errorf("a request that is known: %+v", again)
		}
		if _, err := f.Audit(f.ctx, "", 0, 1); err != nil {
			t.Errorf("reading: %v", err)
		}
		if s := f.Status(f.ctx); !strings.Contains(s.NoSpace, "3 bytes left") || s.Lifecycle != state.Serving {
			t.Errorf("status %+v; want serving, without space", s)
		}
		if n := len(j.Records()); n != before {
			t.Errorf("%d records more below the reserve", n-before)
		}
		j.low.Store(false)
		look()
		f.next().says("A summary.")
		f.next().says("A summary.")
		if list := all(events); list[len(list)-1].Text != "one" {
			t.Errorf("the last event is %+v", list[len(list)-1])
		}
		var answers []string
		for _, r := range j.Records() {
			if in, ok := r.Input.Fact.(fsm.BrainAnswered); ok {
				answers = append(answers, in.Text)
			}
		}
		if len(answers) < 2 || answers[0] != "two" || answers[1] != "one" {
			t.Errorf("the machine was told %q; want two before one", answers)
		}
		if s := f.Status(f.ctx); s.NoSpace != "" {
			t.Errorf("status %q with space", s.NoSpace)
		}
		log := f.log.String()
		if strings.Count(log, "until there is space") != 1 || strings.Count(log, "there is space again") != 1 {
			t.Errorf("the log should tell of the beginning and the end, once each:\n%s", log)
		}
	})
}

// The second time that space is short is reported like the first, whoever notices it.
func TestJRN14ARefusedClientIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newTight()
		f := start(t, j, tools{})
		for range 2 {
			j.low.Store(true)
			f.refuses("a")
			look()
			j.low.Store(false)
			look()
		}
		f.accept("a", "hello")
		f.next()
		if log := f.log.String(); strings.Count(log, "until there is space") != 2 || strings.Count(log, "there is space again") != 2 {
			t.Errorf("the log should tell of each, once:\n%s", log)
		}
	})
}

// A signal is not held back: the machine gets what is held after it, and the shutdown is orderly
// although there is no space.
func TestJRN14ASignalEndsInOrderBelowTheReserve(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newTight()
		f := start(t, j, tools{})
		f.accept("a", "hello")
		call := f.next()
		j.low.Store(true)
		call.says("hi")
		look()
		f.Signal("TERM")
		f.next().says("A summary.")
		if farewell := f.next(); farewell.Purpose != fsm.PurposeFarewell {
			t.Fatalf("the model is asked for %s", farewell.Purpose)
		} else {
			farewell.says("Goodbye.")
		}
		f.next().says("A summary.")
		<-f.stopped
		if f.code != fsm.ExitClean || f.err != nil {
			t.Errorf("ended %q, %v", f.code, f.err)
		}
		if r, ok, err := j.Request(fsm.RequestKey{ID: "a"}); err != nil || !ok || r.Reply != "hi" {
			t.Errorf("the request: %+v, %v", r, err)
		}
	})
}

// A start below the reserve serves only reads, and boots once there is space.
func TestJRN22AStartBelowTheReserveServesReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newTight()
		before := start(t, j, tools{})
		before.accept("a", "hello")
		before.next().says("hi")
		before.next().says("A summary.")
		before.accept("b", "again")
		before.next()
		before.Signal("TERM")
		before.Signal("TERM")
		<-before.stopped

		j.low.Store(true)
		records := len(j.Records())
		f := start(t, j, tools{})
		f.refuses("c")
		if again := f.accept("a", "hello"); again.New || again.Request.Reply != "hi" {
			t.Errorf("a request that is done: %+v", again)
		}
		if s := f.Status(f.ctx); s.Lifecycle != state.Down || s.NoSpace == "" {
			t.Errorf("status %+v; want down, without space", s)
		}
		events := f.watch("b")
		if n := len(j.Records()); n != records {
			t.Errorf("%d records more", n-records)
		}
		j.low.Store(false)
		look()
		f.next().says("I am back.")
		f.next().says("A summary.")
		if list := all(events); list[len(list)-1].Text != "I am back." {
			t.Errorf("the last event is %+v", list[len(list)-1])
		}
	})
}

// A signal ends a daemon that is not booted at once, and nothing is written.
func TestJRN22ASignalBeforeTheBootEndsAtOnce(t *testing.T) {
	j := newTight()
	j.low.Store(true)
	f := start(t, j, tools{})
	f.Signal("TERM")
	<-f.stopped
	if f.code != fsm.ExitClean || f.err != nil || len(j.Records()) > 0 {
		t.Errorf("ended %q, %v, with %d records", f.code, f.err, len(j.Records()))
	}
	if log := f.log.String(); strings.Contains(log, "abandoned") {
		t.Errorf("no call runs, but the log says:\n%s", log)
	}
}
