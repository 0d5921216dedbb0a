package daemon_test

import (
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// COM-16: what a crash could still lose is not shown.
func TestWhatIsReadOfTheJournalIsDurable(t *testing.T) {
	j := engine.NewMemoryJournal()
	f := start(t, j, tools{})
	f.accept("m1", "hello")
	f.next().calls("look")
	f.next() // the tool has answered, which is no barrier
	recorded, err := f.Recorded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kept, err := recorded.Kept()
	if err != nil {
		t.Fatal(err)
	}
	last := uint64(0)
	var in fsm.Input
	if err := recorded.Replay(0, func(r engine.Record) error { last, in = r.Index, r.Input; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, accepts := in.Fact.(fsm.Requested); last != kept.Last || !accepts {
		t.Errorf("kept up to %d, read up to %d, %T; want the acceptance last", kept.Last, last, in.Fact)
	}
	if all, err := j.Kept(); err != nil || all.Last <= last {
		t.Errorf("the journal ends at %d, %v: nothing of it is unsynced", all.Last, err)
	}
}

// Records that no barrier follows are durable after a second, at rest (JRN-4).
func TestJRN4ADaemonAtRestSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := engine.NewMemoryJournal()
		f := start(t, j, tools{}, func(c *fsm.Config) { c.Switches.ReplyFirst = true })
		f.accept("m1", "hello")
		f.next().says("hello")
		f.next().says("A summary.") // after the reply
		f.settles(j)
	})
}

// Nor does a long call keep earlier records from being synced.
func TestJRN4ADaemonSettlesWhileACallRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := engine.NewMemoryJournal()
		f := start(t, j, tools{})
		f.accept("m1", "hello")
		f.next().calls("look")
		f.next() // and the model takes its time
		f.settles(j)
	})
}

// settles checks that the daemon syncs a second after the last record, and not earlier.
func (f *fixture) settles(j *engine.MemoryJournal) {
	f.t.Helper()
	synctest.Wait()
	durable := func() uint64 {
		recorded, err := f.Recorded(f.t.Context())
		if err != nil {
			f.t.Fatal(err)
		}
		kept, err := recorded.Kept()
		if err != nil {
			f.t.Fatal(err)
		}
		f.Status(f.t.Context()) // the loop goes on after the reading
		return kept.Last
	}
	all, err := j.Kept()
	if err != nil {
		f.t.Fatal(err)
	}
	if durable() == all.Last {
		f.t.Fatal("nothing is left after the last barrier")
	}
	time.Sleep(time.Duration(engine.SettleAfter) * time.Millisecond) // of the bubble
	synctest.Wait()
	if got := durable(); got != all.Last {
		f.t.Errorf("durable up to record %d; want %d", got, all.Last)
	}
}
