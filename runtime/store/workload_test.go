package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/store"
)

// acknowledged is what was acknowledged to a workload as durable. A reader during the workload sees
// at most what is true.
type acknowledged struct {
	records  atomic.Uint64 // with all that was put before them
	snapshot atomic.Uint64
	trimmed  atomic.Bool
}

const (
	rounds    = 9
	trimmedAt = 4 // the snapshot up to which records are dropped
)

// bulk returns a text long enough for a workload to fill memtables, so that meanwhile logs are
// switched and tables are written and compacted. It differs from round to round.
func bulk(name string) string { return strings.Repeat("x"+name, 30<<10) }

// said returns the text of a round. In every third round it is long enough to be kept once, apart
// from what refers to it (JRN-34).
func said(round uint64) string {
	if round%3 != 1 {
		return fmt.Sprint("text ", round)
	}
	return strings.Repeat(fmt.Sprintf("text %d\n", round), 100)
}

// work writes everything that a store can hold, in each round one value of each kind that names the
// round, with a sync in every other round. It takes snapshots, trims, and in the middle closes the
// store and opens it again. It returns what failed.
func work(o store.Options, a *acknowledged) error {
	s, err := store.Open(dir, o)
	if err != nil {
		return err
	}
	for round := uint64(1); round <= rounds; round++ {
		if err := workRound(s, round, a); err != nil {
			return err
		}
		switch round {
		case 4, 6:
			if err := s.SaveSnapshot(round, state.Snapshot{Now: fsm.Millis(round)}); err != nil {
				return err
			}
			a.snapshot.Store(round)
		case 7:
			if _, err := s.Trim(engine.Keep{Since: 5}); err != nil {
				return err
			}
			a.records.Store(round)
			a.trimmed.Store(true)
		case 8:
			if err := s.Close(); err != nil {
				return err
			}
			if s, err = store.Open(dir, o); err != nil {
				return err
			}
		}
	}
	return s.Close()
}

func workRound(s *store.Store, round uint64, a *acknowledged) error {
	name := fmt.Sprint(round)
	batch := engine.Batch{
		Records:  []engine.Record{record(round)},
		Requests: []engine.Request{{Key: fsm.RequestKey{ID: name}, Text: said(round), Index: round, Accepted: 100 + fsm.Millis(round)}},
		Messages: []engine.Message{{Position: round, At: 100, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "c"}, Text: said(round)}}},
		Audit:    []engine.Audit{{Position: engine.PositionOf(round, 0), At: 100, Audit: fsm.Audit{Session: "s", Result: said(round)}}},
	}
	sync := round%2 == 0
	err := s.PutEntry(fsm.Entry{ID: "h1", Summary: name, Text: bulk(name)})
	if err == nil {
		err = s.PutSession("s", fmt.Appendf(nil, "%s %q", name, said(round)), [][]byte{fmt.Appendf(nil, "%q", said(round))})
	}
	if err == nil {
		err = s.Append(batch, sync)
	}
	if err == nil && sync {
		a.records.Store(round)
		err = s.Rest()
	}
	return err
}

// checkWork opens what a workload left on a file system, and checks that everything acknowledged is
// there and everything there is whole.
func checkWork(fs vfs.FS, records, snapshot uint64, trimmed bool) (err error) {
	s, err := store.Open(dir, store.Options{FS: fs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	kept, err := s.Kept()
	if err != nil {
		return err
	}
	if kept.Last < records {
		return fmt.Errorf("the last record is %d and %d was acknowledged", kept.Last, records)
	}
	if kept.First != 1 && kept.First != trimmedAt+1 || trimmed && kept.First == 1 {
		return fmt.Errorf("the first record is %d", kept.First)
	}
	if n := len(kept.Snapshots); snapshot > 0 && (n == 0 || kept.Snapshots[n-1] < snapshot) {
		return fmt.Errorf("the snapshots are %d and one at %d was acknowledged", kept.Snapshots, snapshot)
	}
	for _, at := range kept.Snapshots {
		if index, state, err := s.Snapshot(at); err != nil || index != at || state.Now != fsm.Millis(at) {
			return fmt.Errorf("the snapshot at %d: %d, %+v, %w", at, index, state, err)
		}
	}
	return errors.Join(checkRecords(s, kept), checkDerived(s, kept), checkPut(s, kept.Last), s.CheckReferences())
}

func checkRecords(s *store.Store, kept engine.Kept) error {
	next := kept.First
	err := s.Replay(kept.First-1, func(r engine.Record) error {
		if r != record(next) {
			return fmt.Errorf("record %d is %+v", next, r)
		}
		next++
		return nil
	})
	if err == nil && next != kept.Last+1 {
		err = fmt.Errorf("the records end before %d, and the last is %d", next, kept.Last)
	}
	return err
}

// checkDerived checks that what is written with a record is there if and only if the record is. An
// audit record goes with it (JRN-20).
func checkDerived(s *store.Store, kept engine.Kept) error {
	last := kept.Last
	for round := uint64(1); round <= rounds; round++ {
		name := fmt.Sprint(round)
		r, ok, err := s.Request(fsm.RequestKey{ID: name})
		if err != nil || ok != (round <= last) || ok && r.Text != said(round) {
			return fmt.Errorf("request %d: %+v, %v, %w", round, r, ok, err)
		}
	}
	messages, err := s.Messages(fsm.Origin{Channel: "c"}, 0, engine.ReadMax)
	if err != nil || uint64(len(messages)) != last {
		return fmt.Errorf("%d messages and %d records, %w", len(messages), last, err)
	}
	audit, err := s.Audit("s", 0, engine.ReadMax)
	if err != nil || uint64(len(audit)) != last+1-kept.First {
		return fmt.Errorf("%d audit records and the records %d to %d, %w", len(audit), kept.First, last, err)
	}
	for i := range messages {
		if want := said(uint64(i) + 1); messages[i].Text != want {
			return fmt.Errorf("message %q, want %q", messages[i].Text, want)
		}
	}
	for i := range audit {
		if want := said(kept.First + uint64(i)); audit[i].Result != want {
			return fmt.Errorf("audit record %q, want %q", audit[i].Result, want)
		}
	}
	return nil
}

// checkPut checks that what is put before a record is there if the record is, and at most one round
// further; an archive goes with its session.
func checkPut(s *store.Store, last uint64) error {
	fits := func(round uint64) bool { return round == last || round == last+1 }
	entry := uint64(0)
	err := s.Entries(func(e fsm.Entry) error {
		if e.Text != bulk(e.Summary) {
			return fmt.Errorf("entry %q is not whole", e.Summary)
		}
		_, err := fmt.Sscan(e.Summary, &entry)
		return err
	})
	if err != nil || !fits(entry) {
		return fmt.Errorf("the entry is of round %d after record %d, %w", entry, last, err)
	}
	session, parts := uint64(0), uint64(0)
	if body, err := s.Session("s"); err != nil {
		return err
	} else if body != nil {
		text := ""
		if _, err := fmt.Sscanf(string(body), "%d %q", &session, &text); err != nil || text != said(session) {
			return fmt.Errorf("the session is %.20q, %w", body, err)
		}
	}
	err = s.Archived("s", 0, engine.ReadMax, func(number uint64, part []byte) error {
		if parts++; string(part) != fmt.Sprintf("%q", said(number)) || number != parts {
			return fmt.Errorf("part %d of the archive is %q", number, part)
		}
		return nil
	})
	if err != nil || !fits(session) || parts != session {
		return fmt.Errorf("the session is of round %d with %d parts after record %d, %w", session, parts, last, err)
	}
	return nil
}

// Without a fault a workload leaves all that it wrote.
func TestAWorkloadLeavesWhatItWrote(t *testing.T) {
	fs := vfs.NewCrashableMem()
	var a acknowledged
	must(t, work(store.Options{FS: fs, BallastBytes: 1 << 10}, &a))
	if err := checkWork(fs, rounds, 6, true); err != nil {
		t.Error(err)
	}
}
