package daemon

import (
	"context"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// TidyEvery is the interval at which data older than the retention is looked for; this is also
// done before the boot, once the daemon serves, and after a snapshot was saved.
const TidyEvery = time.Hour

// tidying drops what retention no longer keeps (JRN-20, JRN-28). Only the loop uses it.
type tidying struct {
	retention engine.Retention
	next      *time.Timer
	dropped   engine.Trimmed     // since it was last done
	begins    fsm.Millis         // the time at which the trimmed journal begins; 0: this process has not trimmed it
	forgets   context.CancelFunc // ends the shortening of archives; nil: none is under way

	believed fsm.Millis // the time from which the age is counted; 0: nothing was ever noted
	doubted  bool       // the clock went ahead of that,
	since    fsm.Millis // at this steady time
}

// leap is how far the clock may go ahead between two looks and be believed at once, and how
// long the process must run for it to be believed if it went further.
const leap = fsm.Millis(24 * time.Hour / time.Millisecond)

// present returns the time from which the age of what is kept is counted. A clock that went
// ahead by more than a day may be wrong, and what is dropped is gone (JRN-38).
func (t *tidying) present(now engine.Now) fsm.Millis {
	switch ahead := t.believed != 0 && now.Wall-t.believed > leap; {
	case ahead && !t.doubted:
		t.doubted, t.since = true, now.Steady
	case !ahead || now.Steady-t.since >= leap:
		t.believed, t.doubted = now.Wall, false
	}
	return t.believed
}

// stop ends all tidying.
func (t *tidying) stop() {
	if t.next != nil {
		t.next.Stop()
	}
	if t.forgets != nil {
		t.forgets()
	}
}

// Retain changes the retention.
func (d *Daemon) Retain(ctx context.Context, r engine.Retention) error {
	_, err := ask(ctx, d, func() struct{} {
		d.tidies.retention = r
		d.tidySoon()
		return struct{}{}
	})
	return stopping(err)
}

// tidySoon makes the loop tidy after the messages that are waiting.
func (d *Daemon) tidySoon() { d.tidyIn(0) }

func (d *Daemon) tidyIn(wait time.Duration) {
	if d.tidies.next != nil {
		d.tidies.next.Stop()
	}
	d.tidies.next = time.AfterFunc(wait, func() { _ = d.send(context.Background(), message{do: d.tidy}) })
}

// tidy drops one part of what may go, so that the loop is not held up for long, and
// comes back for the rest.
func (d *Daemon) tidy() {
	dropped, err := d.driver.Tidy(d.tidies.present(d.now()), d.tidies.retention)
	d.tidies.dropped = d.tidies.dropped.And(dropped)
	switch {
	case err != nil:
		d.o.Log.Error("cannot drop what is older than the retention", "error", err)
	case dropped != (engine.Trimmed{}):
		d.tidySoon()
		return
	}
	d.tidied()
	d.forget()
	d.tidyIn(TidyEvery)
}

// tidied logs what was dropped since the last time.
func (d *Daemon) tidied() {
	t := d.tidies.dropped
	if t == (engine.Trimmed{}) {
		return
	}
	d.tidies.dropped = engine.Trimmed{}
	kept := d.kept()
	if t.Records > 0 {
		d.begins(kept)
	}
	d.o.Log.Info("dropped what is older than the retention", "records", t.Records, "snapshots", t.Snapshots, "requests", t.Requests,
		"messages", t.Messages, "audit", t.Audit, "first", kept.First, "last", kept.Last, "bytes", kept.Bytes)
}

// kept is what the journal holds, as far as it can be read.
func (d *Daemon) kept() engine.Kept {
	kept, err := d.o.Journal.Kept()
	if err != nil {
		d.o.Log.Error("cannot read what the journal keeps", "error", err)
	}
	return kept
}

// begins notes the time of the snapshot with which the journal now begins: archives are not kept
// any longer than that.
func (d *Daemon) begins(kept engine.Kept) {
	index, s, err := d.o.Journal.Snapshot(kept.First - 1)
	if err != nil || index != kept.First-1 {
		d.o.Log.Error("cannot read when the journal begins; only retention.age limits archives", "first", kept.First, "error", err)
		return
	}
	if s.Now <= d.tidies.believed { // otherwise the clock was ahead, and all archives would be dropped
		d.tidies.begins = s.Now
	}
}

// forget shortens the archives of the sessions, outside the loop (SES-19).
func (d *Daemon) forget() {
	since := d.tidies.begins
	if age := d.tidies.retention.Age; age > 0 {
		since = max(since, d.tidies.believed-age)
	}
	if since == 0 || d.o.Sessions == nil || d.tidies.forgets != nil {
		return
	}
	now := d.tidies.believed
	ctx, cancel := context.WithCancel(context.Background())
	d.tidies.forgets = cancel
	d.calls.Go(func() {
		parts := 0
		err := d.guarded("the sessions", func() (err error) {
			parts, err = d.o.Sessions.Forget(ctx, since, now)
			return err
		})
		_ = d.send(ctx, message{do: func() {
			d.tidies.forgets = nil
			d.forgot(parts, err)
		}})
		cancel()
	})
}

func (d *Daemon) forgot(parts int, err error) {
	if err != nil {
		d.o.Log.Error("cannot drop old messages from the archives", "error", err)
	}
	if parts > 0 {
		d.o.Log.Info("dropped old messages from the archives", "messages", parts)
	}
}
