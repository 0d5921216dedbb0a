package daemon_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/daemon"
	"shelly/runtime/telemetry"
)

func TestOBS1TheJournalIsTheSameWithTellersAndWithout(t *testing.T) {
	records := func(tellers ...telemetry.Teller) (all []engine.Record) {
		journal := engine.NewMemoryJournal()
		f := startWith(t, func(o *daemon.Options) {
			o.Journal, o.Tellers = journal, tellers
			o.Now = func() time.Time { return time.UnixMilli(1_800_000_000_000) }
		})
		go func() {
			f.next().calls("look")
			for {
				select {
				case a := <-f.brain.asked:
					a.says("done")
				case <-f.stopped:
					return
				}
			}
		}()
		f.accept("one", "hello")
		for s := f.Status(f.ctx); len(s.Active)+s.Waiting > 0; s = f.Status(f.ctx) {
		}
		f.Signal("TERM")
		<-f.stopped
		if err := journal.Replay(0, func(r engine.Record) error {
			all = append(all, r)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return all
	}
	traces := telemetry.NewTraces(telemetry.NewExporter("http://127.0.0.1:1/", slog.New(slog.DiscardHandler)), telemetry.TracesOptions{})
	with, without := records(telemetry.NewMetrics(""), traces), records()
	if diff := cmp.Diff(without, with); diff != "" || len(with) < 5 {
		t.Errorf("%d records (-without +with)\n%s", len(with), diff)
	}
}
