package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// idleWorld has nothing to perform.
type idleWorld struct{}

func (idleWorld) Perform(fsm.Effect) error { return nil }

// BenchmarkTurn measures a synced turn of the engine on disk: step, encode,
// append, sync. Its yardstick is a bare Pebble commit of as many bytes on the same
// disk, each of them right behind a turn: "commits" is how many of these a turn
// takes.
func BenchmarkTurn(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
	defer end(b, &s)
	e, err := engine.Open(s, idleWorld{})
	if err != nil {
		b.Fatal(err)
	}
	db, err := pebble.Open(filepath.Join(b.TempDir(), "bare"), &pebble.Options{
		Logger: quiet{}, FormatMajorVersion: pebble.FormatTableFormatV6,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	}()
	in := fsm.Input{At: 1, Fact: fsm.Signalled{Name: "SIGTERM"}} // a barrier that does nothing here
	wire, err := fsm.MarshalInput(in)
	if err != nil {
		b.Fatal(err)
	}
	value := append(make([]byte, 12), wire...)
	var turn, commit time.Duration
	for n := uint64(1); b.Loop(); n++ {
		start := time.Now()
		if err := e.Turn(in); err != nil {
			b.Fatal(err)
		}
		turn += time.Since(start)
		start = time.Now()
		if err := db.Set(recordKey(n), value, pebble.Sync); err != nil {
			b.Fatal(err)
		}
		commit += time.Since(start)
	}
	b.ReportMetric(float64(turn.Nanoseconds())/float64(b.N), "turn-ns")
	b.ReportMetric(float64(commit.Nanoseconds())/float64(b.N), "commit-ns")
	b.ReportMetric(float64(turn)/float64(commit), "commits")
}

// BenchmarkUnsyncedTurn measures a turn that no barrier makes wait.
func BenchmarkUnsyncedTurn(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
	defer end(b, &s)
	e, err := engine.Open(s, idleWorld{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := e.Turn(fsm.Input{At: 1, Fact: fsm.TimerFired{Timer: 1}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen measures the opening of a store with 10,000 records.
func BenchmarkOpen(b *testing.B) {
	folder := filepath.Join(b.TempDir(), "store")
	s := open(b, folder, store.Options{})
	for n := uint64(1); n <= 10_000; n++ {
		if err := s.Append(engine.Batch{Records: []engine.Record{record(n)}}, false); err != nil {
			b.Fatal(err)
		}
	}
	end(b, &s)
	for b.Loop() {
		s := open(b, folder, store.Options{})
		end(b, &s)
	}
}

// BenchmarkTrim measures what it takes to trim 10,000 records with their requests and
// audit records, in parts; "longest-ns" is the longest of these, for which other work
// waits.
func BenchmarkTrim(b *testing.B) {
	const records = 10_000
	text := strings.Repeat("some text ", 30)
	var longest, all time.Duration
	for b.Loop() {
		s := open(b, filepath.Join(b.TempDir(), "store"), store.Options{})
		grow(b, s, 1, records, func() string { return text })
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
	b.ReportMetric(0, "ns/op")
}
