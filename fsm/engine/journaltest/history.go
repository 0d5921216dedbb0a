package journaltest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

// contents is what a journal must hold.
type contents struct {
	records   []engine.Record   // including those that were trimmed
	trimmed   int               // how many of them were trimmed
	requests  [requestCount]int // the version of each request, from 1; 0: none
	sent      int               // messages and audit records ever, of each
	messages  []engine.Message
	audit     []engine.Audit
	snapshots []taken // in order
}

// taken is a snapshot. Its time is the number of its record.
type taken struct {
	index uint64
	size  int // requests in its machine
}

// index returns the index of the last snapshot, or 0.
func (s contents) index() uint64 {
	if len(s.snapshots) == 0 {
		return 0
	}
	return s.snapshots[len(s.snapshots)-1].index
}

const requestCount = 3

func requestNumber(i int) fsm.RequestKey { return fsm.RequestKey{Channel: "test", ID: fmt.Sprint(i)} }

// model is the reference that a journal is compared with: the state after each
// write since the last sync, because a crash may go back to any of them.
type model struct {
	harness Harness
	journal engine.Journal
	kept    []contents // kept[0] is synced; the last is the present
}

func (m *model) now() contents { return m.kept[len(m.kept)-1] }

func (m *model) write(s contents, sync bool) {
	if sync {
		m.kept = m.kept[:0]
	}
	m.kept = append(m.kept, s)
}

// stepsMax bounds a history: long enough for a restart after a crash after a snapshot,
// short enough for a journal on disk, where a restart is slow.
const stepsMax = 12

// Histories drives a journal through arbitrary writes, restarts and crashes.
func Histories(t *testing.T, h Harness) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{harness: h, journal: h.Create(t), kept: []contents{{}}}
		step := rapid.SampledFrom([]string{"append", "append", "append", "snapshot", "snapshot", "trim", "reopen", "crash"})
		for range rapid.IntRange(1, stepsMax).Draw(t, "steps") {
			switch step.Draw(t, "step") {
			case "append":
				m.append(t)
			case "snapshot":
				m.snapshot(t)
			case "trim":
				m.trim(t)
			case "reopen":
				m.reopen(t)
			case "crash":
				m.crash(t)
			}
		}
		m.compare(t)
	})
}

func (m *model) append(t *rapid.T) {
	s := m.now()
	sync := rapid.Bool().Draw(t, "sync")
	b := engine.Batch{Records: tail(s.records, rapid.IntRange(0, 4).Draw(t, "records"))}
	for i := range s.requests {
		if rapid.Bool().Draw(t, "touch request") {
			s.requests[i]++
			b.Requests = append(b.Requests, expected(i, s.requests[i]))
		}
	}
	s.records = append(s.records[:len(s.records):len(s.records)], b.Records...)
	for range rapid.IntRange(0, 3*len(b.Records)).Draw(t, "sent") {
		s.sent++
		m, a := message(s.sent, uint64(len(s.records))), audit(s.sent, uint64(len(s.records)))
		b.Messages, b.Audit = append(b.Messages, m), append(b.Audit, a)
		s.messages, s.audit = append(slices.Clip(s.messages), m), append(slices.Clip(s.audit), a)
	}
	appendTo(t, m.journal, b, sync)
	m.write(s, sync)
}

func (m *model) snapshot(t *rapid.T) {
	s := m.now()
	if len(s.records) == 0 {
		return
	}
	last := taken{
		rapid.Uint64Range(max(s.index(), 1), uint64(len(s.records))).Draw(t, "index"), rapid.IntRange(0, 3).Draw(t, "size"),
	}
	if last.index == s.index() {
		s.snapshots = s.snapshots[:len(s.snapshots)-1]
	}
	s.snapshots = append(slices.Clip(s.snapshots), last)
	saveSnapshot(t, m.journal, last.index, last.snapshot())
	m.write(s, true)
}

func (k taken) snapshot() state.Snapshot {
	s := snapshot(k.size)
	s.Now = fsm.Millis(k.index)
	return s
}

// trim trims by an age between those of snapshots and messages, or between those of
// requests, and by a size.
func (m *model) trim(t *rapid.T) {
	keep := engine.Keep{Since: fsm.Millis(rapid.IntRange(0, 40).Draw(t, "since"))}
	if rapid.Bool().Draw(t, "requests too") {
		keep.Since = fsm.Millis(rapid.IntRange(200, 215).Draw(t, "replied since"))
	}
	if rapid.Bool().Draw(t, "by size") {
		keep.Bytes = rapid.Int64Range(1, size(t, m.now().records)+1).Draw(t, "bytes")
	}
	s, want := m.now().kept(t, keep)
	trim(t, m.journal, keep, want)
	m.write(s, want != engine.Trimmed{})
}

// kept returns what a trim leaves of a state, and how much it drops.
func (s contents) kept(t *rapid.T, keep engine.Keep) (contents, engine.Trimmed) {
	was := s
	for _, k := range s.snapshots {
		behind := size(t, s.records[s.trimmed:])
		if fsm.Millis(k.index) < keep.Since || keep.Bytes > 0 && behind > keep.Bytes {
			s.trimmed = max(s.trimmed, int(k.index))
		}
	}
	s.snapshots = slices.DeleteFunc(slices.Clone(s.snapshots), func(k taken) bool { return k.index < uint64(s.trimmed) })
	dropped := engine.Trimmed{Records: s.trimmed - was.trimmed, Snapshots: len(was.snapshots) - len(s.snapshots)}
	for i := range s.requests {
		if r := expected(i, s.requests[i]); r.Done && r.Replied < keep.Since {
			s.requests[i] = 0
			dropped.Requests++
		}
	}
	s.messages = slices.DeleteFunc(slices.Clone(s.messages), func(m engine.Message) bool { return m.At < keep.Since })
	s.audit = slices.DeleteFunc(slices.Clone(s.audit), func(a engine.Audit) bool {
		return a.At < keep.Since || engine.IndexOf(a.Position) <= uint64(s.trimmed)
	})
	dropped.Messages, dropped.Audit = len(was.messages)-len(s.messages), len(was.audit)-len(s.audit)
	return s, dropped
}

// A clean end loses nothing. It need not be a sync.
func (m *model) reopen(t *rapid.T) {
	m.journal = m.harness.Reopen(t)
	m.compare(t)
}

// A crash goes back to one of the states since the last sync, and whatever is left then
// stays.
func (m *model) crash(t *rapid.T) {
	m.journal = m.harness.Crash(t)
	found := m.survivor(t)
	if found < 0 {
		t.Fatalf("after a crash the journal holds none of the %d states it may: %d records",
			len(m.kept), len(replay(t, m.journal, m.now().index())))
	}
	m.kept = []contents{m.kept[found]}
	m.compare(t)
}

// survivor returns which of the kept states the journal holds, judged by its
// records and requests, or -1.
func (m *model) survivor(t *rapid.T) int {
	count := len(replay(t, m.journal, m.now().index())) + int(m.now().index())
	for i := len(m.kept) - 1; i >= 0; i-- {
		if len(m.kept[i].records) == count && m.holds(t, m.kept[i].requests) {
			return i
		}
	}
	return -1
}

func (m *model) holds(t *rapid.T, versions [requestCount]int) bool {
	for i, version := range versions {
		got, _, err := m.journal.Request(requestNumber(i))
		if err != nil {
			t.Fatalf("Request: %v", err)
		}
		if got != expected(i, version) {
			return false
		}
	}
	return true
}

// expected returns a request's record in some version; version 0 is none.
func expected(i, version int) engine.Request {
	if version == 0 {
		return engine.Request{}
	}
	r := request(requestNumber(i), version)
	r.Index = uint64(i) + 1
	return r
}

// compare compares the journal with the present state.
func (m *model) compare(t *rapid.T) {
	s := m.now()
	check(t, "history", s.records[s.trimmed:], replay(t, m.journal, uint64(s.trimmed)))
	want := engine.Kept{First: uint64(s.trimmed) + 1, Last: uint64(len(s.records)), Bytes: size(t, s.records[s.trimmed:])}
	for _, k := range s.snapshots {
		want.Snapshots = append(want.Snapshots, k.index)
	}
	checkKept(t, "history", m.journal, want)
	if s.trimmed > 0 {
		if err := m.journal.Replay(uint64(s.trimmed)-1, func(engine.Record) error { return nil }); !errors.Is(err, engine.ErrTrimmed) {
			t.Fatalf("Replay from record %d, which was trimmed: %v; want ErrTrimmed", s.trimmed, err)
		}
	}
	for i, version := range s.requests {
		checkRequest(t, "history", m.journal, requestNumber(i), expected(i, version))
	}
	checkMessages(t, "history", m.journal, s.messages)
	checkAudit(t, "history", m.journal, s.audit)
	for _, k := range s.snapshots {
		checkSnapshotAt(t, "history", m.journal, k.index, k.index, k.snapshot())
	}
}
