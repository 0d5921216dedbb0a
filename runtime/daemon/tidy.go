package daemon

import (
	"context"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// TidyEvery is how often what is older than the retention is looked for, beside before
// the boot, once it serves and when a snapshot was saved.
const TidyEvery = time.Hour

// tidying drops what is not to be kept any longer (JRN-20, JRN-28). Only the loop uses it.
type tidying struct {
	retention engine.Retention
	next      *time.Timer
	dropped   engine.Trimmed     // since the last time that nothing was left
	begins    fsm.Millis         // when the journal begins that this process has trimmed; 0: it has not
	forgets   context.CancelFunc // ends what shortens archives; nil: nothing does
}

// stop ends what is under way and to come.
func (t *tidying) stop() {
	if t.next != nil {
		t.next.Stop()
	}
	if t.forgets != nil {
		t.forgets()
	}
}

// Retain changes how long what was done is kept.
func (d *Daemon) Retain(ctx context.Context, r engine.Retention) error {
	_, err := ask(ctx, d, func() struct{} {
		d.tidies.retention = r
		d.tidySoon()
		return struct{}{}
	})
	return stopping(err)
}

// tidySoon lets the loop tidy once it has done what waits for it.
func (d *Daemon) tidySoon() { d.tidyIn(0) }

func (d *Daemon) tidyIn(wait time.Duration) {
	if d.tidies.next != nil {
		d.tidies.next.Stop()
	}
	d.tidies.next = time.AfterFunc(wait, func() { _ = d.send(context.Background(), message{do: d.tidy}) })
}

// tidy drops one part of what may go, so that nobody waits for the loop for long, and
// comes back for the rest.
func (d *Daemon) tidy() {
	dropped, err := d.driver.Tidy(d.now().Wall, d.tidies.retention)
	d.tidies.dropped = d.tidies.dropped.And(dropped)
	switch {
	case err != nil:
		d.o.Log.Error("what is old is not dropped", "error", err)
	case dropped != (engine.Trimmed{}):
		d.tidySoon()
		return
	}
	d.tidied()
	d.forget()
	d.tidyIn(TidyEvery)
}

// tidied says what was dropped since it said so last.
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
	d.o.Log.Info("what is old was dropped", "records", t.Records, "snapshots", t.Snapshots, "requests", t.Requests,
		"messages", t.Messages, "audit", t.Audit, "first", kept.First, "last", kept.Last, "bytes", kept.Bytes)
}

// kept is what the journal holds, as far as it can be read.
func (d *Daemon) kept() engine.Kept {
	kept, err := d.o.Journal.Kept()
	if err != nil {
		d.o.Log.Error("what the journal keeps cannot be read", "error", err)
	}
	return kept
}

// begins notes the time of the snapshot that the journal begins with, now that what was before
// it has been dropped: archives are not kept for longer.
func (d *Daemon) begins(kept engine.Kept) {
	index, s, err := d.o.Journal.Snapshot(kept.First - 1)
	if err != nil || index != kept.First-1 {
		d.o.Log.Error("when the journal begins cannot be read; archives are kept for their age", "first", kept.First, "error", err)
		return
	}
	if s.Now <= d.now().Wall { // else the clock was ahead, and all archives would go
		d.tidies.begins = s.Now
	}
}

// forget shortens the archives of the sessions beside the loop (SES-19).
func (d *Daemon) forget() {
	since := d.tidies.begins
	if age := d.tidies.retention.Age; age > 0 {
		since = max(since, d.now().Wall-age)
	}
	if since == 0 || d.o.Sessions == nil || d.tidies.forgets != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.tidies.forgets = cancel
	d.calls.Go(func() {
		parts := 0
		err := d.guarded("the sessions", func() (err error) {
			parts, err = d.o.Sessions.Forget(ctx, since)
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
		d.o.Log.Error("what is old is not dropped from the archives", "error", err)
	}
	if parts > 0 {
		d.o.Log.Info("what is old was dropped from the archives of sessions", "messages", parts)
	}
}
