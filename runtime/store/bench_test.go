package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/store"
	"shelly/runtime/yardstick"
)

// idleWorld has nothing to perform.
type idleWorld struct{}

func (idleWorld) Perform(fsm.Effect) error { return nil }

// BenchmarkTurn measures a synced turn of the engine on disk: step, encode, append, sync. Its
// yardstick is a bare Pebble commit of the same size on the same disk, each right after a turn.
func BenchmarkTurn(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
	defer end(b, &s)
	e, err := engine.Open(s, idleWorld{})
	if err != nil {
		b.Fatal(err)
	}
	in := fsm.Input{At: 1, Fact: fsm.Signalled{Name: "SIGTERM"}} // a barrier that does nothing here
	db, value := bare(b), coded(b, in)
	var turn, commit time.Duration
	for n := uint64(1); b.Loop(); n++ {
		start := time.Now()
		must(b, e.Turn(in))
		turn += time.Since(start)
		start = time.Now()
		must(b, db.Set(recordKey(n), value, pebble.Sync))
		commit += time.Since(start)
	}
	b.ReportMetric(float64(turn.Nanoseconds())/float64(b.N), "turn-ns")
	b.ReportMetric(float64(commit.Nanoseconds())/float64(b.N), "commit-ns")
	b.ReportMetric(float64(turn)/float64(commit), "of-a-commit")
}

// BenchmarkUnsyncedTurn measures a turn without a barrier. Its yardstick is a bare, unsynced Pebble
// commit of the same size.
func BenchmarkUnsyncedTurn(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
	defer end(b, &s)
	e, err := engine.Open(s, idleWorld{})
	if err != nil {
		b.Fatal(err)
	}
	in := fsm.Input{At: 1, Fact: fsm.TimerFired{Timer: 1}}
	for b.Loop() {
		must(b, e.Turn(in))
	}
	db, value := bare(b), coded(b, in)
	n := uint64(0)
	yardstick.Of(b, "a-commit", func() {
		n++
		must(b, db.Set(recordKey(n), value, pebble.NoSync))
	})
}

// bare opens a separate Pebble database beside the store that is measured.
func bare(b *testing.B) *pebble.DB {
	b.Helper()
	db, err := pebble.Open(filepath.Join(b.TempDir(), "bare"), &pebble.Options{
		Logger: quiet{}, FormatMajorVersion: pebble.FormatTableFormatV6,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

// coded returns a value as large as the record of an input.
func coded(b *testing.B, in fsm.Input) []byte {
	b.Helper()
	wire, err := fsm.MarshalInput(in)
	if err != nil {
		b.Fatal(err)
	}
	return append(make([]byte, 12), wire...)
}

// BenchmarkStart measures a start over 20,000 records, with the last snapshot 1,000 records before
// the end: the opening, with the checks of JRN-29 and JRN-31, and the fold. "open-ns" is the
// opening alone; its yardstick is opening the same database read-only in Pebble, without any
// checks.
func BenchmarkStart(b *testing.B) {
	const records = 20_000
	folder := filepath.Join(b.TempDir(), "store")
	s := open(b, folder, store.Options{})
	for n := uint64(1); n <= records; n++ {
		must(b, s.Append(engine.Batch{Records: []engine.Record{record(n)}}, false))
	}
	must(b, s.SaveSnapshot(records-1000, state.Snapshot{Lifecycle: state.Serving}))
	end(b, &s)
	var opening, pebbles time.Duration
	for b.Loop() {
		start := time.Now()
		s := open(b, folder, store.Options{})
		opening += time.Since(start)
		if _, err := engine.Recover(s); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		end(b, &s)
		start = time.Now()
		db, err := pebble.Open(folder, &pebble.Options{Logger: quiet{}, FormatMajorVersion: pebble.FormatTableFormatV6, ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		pebbles += time.Since(start)
		must(b, db.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(opening.Nanoseconds())/float64(b.N), "open-ns")
	b.ReportMetric(float64(opening)/float64(pebbles), "of-pebble")
}

// BenchmarkRest measures how long it takes to write the anchor, which a daemon does once it has
// been idle for a second and only the next append waits for: "anchor-ns". Its yardstick is a synced
// append.
func BenchmarkRest(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
	defer end(b, &s)
	var anchor time.Duration
	n := uint64(1)
	var appended time.Duration
	for b.Loop() {
		start := time.Now()
		must(b, s.Append(engine.Batch{Records: []engine.Record{record(n)}}, true))
		n++
		rest := time.Now()
		must(b, s.Rest())
		anchor, appended = anchor+time.Since(rest), appended+rest.Sub(start)
	}
	b.ReportMetric(float64(anchor.Nanoseconds())/float64(b.N), "anchor-ns")
	b.ReportMetric(float64(anchor)/float64(appended), "of-an-append")
}

// BenchmarkTrim measures how long it takes to trim 10,000 records with their requests and audit
// records, in parts; "longest-ns" is the longest of these parts, for which other work waits. Its
// yardstick is writing them.
func BenchmarkTrim(b *testing.B) {
	const records = 10_000
	text := strings.Repeat("some text ", 30)
	var longest, all, written time.Duration
	for b.Loop() {
		s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
		start := time.Now()
		grow(b, s, 1, records, func() string { return text })
		written += time.Since(start)
		for {
			began := time.Now()
			dropped, err := s.Trim(engine.Keep{Since: records + 1})
			took := time.Since(began)
			if err != nil {
				b.Fatal(err)
			}
			longest, all = max(longest, took), all+took
			if dropped == (engine.Trimmed{}) {
				break
			}
		}
		end(b, &s)
	}
	b.ReportMetric(float64(longest.Nanoseconds()), "longest-ns")
	b.ReportMetric(float64(all.Nanoseconds())/float64(b.N), "trim-ns")
	b.ReportMetric(float64(all)/float64(written), "of-writing")
	b.ReportMetric(0, "ns/op")
}
