package journaltest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// state is what a journal must hold.
type state struct {
	records  []engine.Record
	requests [requestCount]int // the version of each request, from 1; 0: none
	messages []engine.Message
	audit    []engine.Audit
	index    uint64 // of the snapshot
	size     int    // requests in the snapshot's machine
}

const requestCount = 3

func requestNumber(i int) fsm.RequestKey { return fsm.RequestKey{Channel: "test", ID: fmt.Sprint(i)} }

// model is the reference that a journal is compared with: the state after each
// write since the last sync, because a crash may go back to any of them.
type model struct {
	harness Harness
	journal engine.Journal
	kept    []state // kept[0] is synced; the last is the present
}

func (m *model) now() state { return m.kept[len(m.kept)-1] }

func (m *model) write(s state, sync bool) {
	if sync {
		m.kept = m.kept[:0]
	}
	m.kept = append(m.kept, s)
}

// stepsMax bounds a history: long enough for a restart behind a crash behind a
// snapshot, short enough for a journal on disk, where a restart takes its time.
const stepsMax = 12

// testHistory drives a journal through arbitrary writes, restarts and crashes.
func testHistory(t *testing.T, h Harness) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{harness: h, journal: h.Create(t), kept: []state{{}}}
		step := rapid.SampledFrom([]string{"append", "append", "append", "snapshot", "reopen", "crash"})
		for range rapid.IntRange(1, stepsMax).Draw(t, "steps") {
			switch step.Draw(t, "step") {
			case "append":
				m.append(t)
			case "snapshot":
				m.snapshot(t)
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
			b.Requests = append(b.Requests, request(requestNumber(i), s.requests[i]))
		}
	}
	s.records = append(s.records[:len(s.records):len(s.records)], b.Records...)
	for range rapid.IntRange(0, 3*len(b.Records)).Draw(t, "sent") {
		n := len(s.messages) + 1
		b.Messages = append(b.Messages, message(n, uint64(len(s.records))))
		b.Audit = append(b.Audit, audit(n, uint64(len(s.records))))
		s.messages = append(s.messages[:n-1:n-1], b.Messages[len(b.Messages)-1])
		s.audit = append(s.audit[:n-1:n-1], b.Audit[len(b.Audit)-1])
	}
	appendTo(t, m.journal, b, sync)
	m.write(s, sync)
}

func (m *model) snapshot(t *rapid.T) {
	s := m.now()
	if len(s.records) == 0 {
		return
	}
	s.index = rapid.Uint64Range(max(s.index, 1), uint64(len(s.records))).Draw(t, "index")
	s.size = rapid.IntRange(0, 3).Draw(t, "size")
	saveSnapshot(t, m.journal, s.index, snapshot(s.size))
	m.write(s, true)
}

// A clean end loses nothing. It need not be a sync.
func (m *model) reopen(t *rapid.T) {
	m.journal = m.harness.Reopen(t)
	m.compare(t)
}

// A crash goes back to one of the states since the last sync, and what is there
// then stays.
func (m *model) crash(t *rapid.T) {
	m.journal = m.harness.Crash(t)
	found := m.survivor(t)
	if found < 0 {
		t.Fatalf("after a crash the journal holds none of the %d states it may: %d records",
			len(m.kept), len(replay(t, m.journal, m.now().index)))
	}
	m.kept = []state{m.kept[found]}
	m.compare(t)
}

// survivor returns which of the kept states the journal holds, judged by its
// records and requests, or -1.
func (m *model) survivor(t *rapid.T) int {
	count := len(replay(t, m.journal, m.now().index)) + int(m.now().index)
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

// expected is a request's record in some version; version 0 is none.
func expected(i, version int) engine.Request {
	if version == 0 {
		return engine.Request{}
	}
	return request(requestNumber(i), version)
}

// compare holds the journal against the present state.
func (m *model) compare(t *rapid.T) {
	s := m.now()
	check(t, "history", s.records[s.index:], replay(t, m.journal, s.index))
	for i, version := range s.requests {
		checkRequest(t, "history", m.journal, requestNumber(i), expected(i, version))
	}
	checkMessages(t, "history", m.journal, s.messages)
	checkAudit(t, "history", m.journal, s.audit)
	if s.index > 0 {
		checkSnapshot(t, "history", m.journal, s.index, snapshot(s.size))
	}
}
