package journaltest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// at returns a request record of the step at an index; if done, it was answered at the time
// of the same number.
func at(index uint64, done bool) engine.Request {
	r := request(fsm.RequestKey{ID: fmt.Sprint(index)}, 0)
	r.Index, r.Accepted = index, fsm.Millis(index)
	if done {
		r.Done, r.Replied = true, fsm.Millis(index)
	}
	return r
}

func testRequestOrder(t *testing.T, h Harness) {
	j := h.Create(t)
	records := tail(nil, 300)
	for i := range records {
		appendTo(t, j, engine.Batch{Records: records[i : i+1], Requests: []engine.Request{at(uint64(i)+1, i%2 == 0)}}, false)
	}
	j = h.Reopen(t)
	for _, test := range []struct {
		before uint64
		limit  int
		want   []uint64
	}{
		{1 << 63, 3, []uint64{300, 299, 298}}, {299, 2, []uint64{298, 297}}, {3, 9, []uint64{2, 1}}, {1, 9, nil}, {0, 9, nil}, {9, 0, nil}, {9, -1, nil},
	} {
		if got := indexes(t, j, test.before, test.limit); !reflect.DeepEqual(got, test.want) {
			t.Errorf("Requests before %d, %d of them: %v; want %v", test.before, test.limit, got, test.want)
		}
	}
	if got := len(indexes(t, j, 1<<63, math.MaxInt)); got != engine.ReadMax {
		t.Errorf("%d requests in one read; want ReadMax", got)
	}
}

func indexes(t rapid.TB, j engine.Journal, before uint64, limit int) (list []uint64) {
	t.Helper()
	found, err := j.Requests(before, limit)
	if err != nil {
		t.Fatalf("Requests before %d: %v", before, err)
	}
	for _, r := range found {
		list = append(list, r.Index)
	}
	return list
}

// grown returns a journal of 9 records, each with a request, a message and an audit
// record of its own time, and with snapshots after records 3, 6 and 8. The first
// request is not done.
func grown(t rapid.TB, h Harness) (engine.Journal, []engine.Record) {
	t.Helper()
	j := h.Create(t)
	records := tail(nil, 9)
	for i := range records {
		index := uint64(i) + 1
		m, a := message(i+1, index), audit(i+1, index)
		appendTo(t, j, engine.Batch{
			Records: records[i : i+1], Requests: []engine.Request{at(index, index > 1)}, Messages: []engine.Message{m}, Audit: []engine.Audit{a},
		}, false)
		if index == 3 || index == 6 || index == 8 {
			s := snapshot(int(index))
			s.Now = fsm.Millis(index)
			saveSnapshot(t, j, index, s)
		}
	}
	return j, records
}

// Whatever ended before a time goes, and records up to the last snapshot before it (JRN-19,
// JRN-20).
func testTrimByAge(t *testing.T, h Harness) {
	j, records := grown(t, h)
	checkKept(t, "whole", j, engine.Kept{First: 1, Last: 9, Bytes: size(t, records), Snapshots: []uint64{3, 6, 8}})
	trim(t, j, engine.Keep{Since: 8}, engine.Trimmed{Records: 6, Snapshots: 1, Requests: 6, Messages: 7, Audit: 7})
	trim(t, j, engine.Keep{Since: 8}, engine.Trimmed{})
	j = h.Crash(t)
	checkKept(t, "after a crash", j, engine.Kept{First: 7, Last: 9, Bytes: size(t, records[6:]), Snapshots: []uint64{6, 8}})
	check(t, "what is kept", records[6:], replay(t, j, 6))
	if err := j.Replay(5, func(engine.Record) error { return nil }); !errors.Is(err, engine.ErrTrimmed) {
		t.Errorf("Replay of what was dropped: %v; want ErrTrimmed", err)
	}
	if got := indexes(t, j, 1<<63, 9); !reflect.DeepEqual(got, []uint64{9, 8, 1}) {
		t.Errorf("requests %v; want the late ones and the one that is not done", got)
	}
	if index, _, err := j.Snapshot(7); index != 6 || err != nil {
		t.Errorf("the snapshot at record 7 is that at %d, %v; want 6", index, err)
	}
	if got := len(readAudit(t, j, "", 0, 9)); got != 2 {
		t.Errorf("%d audit records; want 2", got)
	}
	trim(t, j, engine.Keep{Since: 1 << 40}, engine.Trimmed{Records: 2, Snapshots: 1, Requests: 2, Messages: 2, Audit: 2})
	checkKept(t, "all that may go", h.Reopen(t), engine.Kept{First: 9, Last: 9, Bytes: size(t, records[8:]), Snapshots: []uint64{8}})
}

// If there are too many records the oldest go, with the audit records of their steps, and
// nothing else (JRN-20).
func testTrimBySize(t *testing.T, h Harness) {
	j, records := grown(t, h)
	trim(t, j, engine.Keep{Bytes: 1 << 40}, engine.Trimmed{})
	trim(t, j, engine.Keep{Bytes: size(t, records[6:])}, engine.Trimmed{Records: 6, Snapshots: 1, Audit: 6})
	trim(t, j, engine.Keep{Bytes: size(t, records[6:])}, engine.Trimmed{})
	j = h.Reopen(t)
	trim(t, j, engine.Keep{Bytes: size(t, records[6:])}, engine.Trimmed{})
	if got := len(readAudit(t, j, "", 0, 9)); got != 3 {
		t.Errorf("%d audit records; want 3", got)
	}
	trim(t, j, engine.Keep{Bytes: 1}, engine.Trimmed{Records: 2, Snapshots: 1, Audit: 2})
	more := tail(records, 2)
	appendTo(t, j, engine.Batch{Records: more}, true)
	saveSnapshot(t, j, 11, snapshot(0))
	trim(t, j, engine.Keep{Bytes: 1}, engine.Trimmed{Records: 3, Snapshots: 1, Audit: 1})
	j = h.Crash(t)
	checkKept(t, "no record is left", j, engine.Kept{First: 12, Last: 11, Snapshots: []uint64{11}})
	check(t, "no record is left", nil, replay(t, j, 11))
	last := tail(append(records, more...), 1)
	appendTo(t, j, engine.Batch{Records: last}, true)
	checkKept(t, "goes on", h.Reopen(t), engine.Kept{First: 12, Last: 12, Bytes: size(t, last), Snapshots: []uint64{11}})
}

// One Trim drops no more than TrimMax of each, so that it is quick; the next goes on from
// there.
func testTrimMax(t *testing.T, h Harness) {
	j := h.Create(t)
	const more = 3
	var last []engine.Record
	for n := range engine.TrimMax + more {
		index := uint64(n) + 1
		last = tail(last, 1)
		last[0].Index = index
		appendTo(t, j, engine.Batch{
			Records: last, Requests: []engine.Request{at(index, true)},
			Messages: []engine.Message{message(n+1, index)}, Audit: []engine.Audit{audit(n+1, index)},
		}, false)
	}
	late := engine.Keep{Since: 1 << 40}
	trim(t, j, late, engine.Trimmed{Requests: engine.TrimMax, Messages: engine.TrimMax, Audit: engine.TrimMax})
	if got := indexes(t, j, 1<<63, 9); !reflect.DeepEqual(got, []uint64{engine.TrimMax + 3, engine.TrimMax + 2, engine.TrimMax + 1}) {
		t.Errorf("requests %v; want the last ones", got)
	}
	trim(t, j, late, engine.Trimmed{Requests: more, Messages: more, Audit: more})
	trim(t, h.Reopen(t), late, engine.Trimmed{})
}

// A Trim that drops nothing has left nothing to drop, even if one before it was bounded and
// an early request has been answered since.
func testTrimGoesBack(t *testing.T, h Harness) {
	j := h.Create(t)
	const last = engine.TrimMax + 2
	b := engine.Batch{Records: tail(nil, last)}
	for index := uint64(1); index <= last; index++ {
		b.Requests = append(b.Requests, at(index, 1 < index && index < last))
	}
	appendTo(t, j, b, true)
	late := engine.Keep{Since: 1 << 40}
	trim(t, j, late, engine.Trimmed{Requests: engine.TrimMax})
	appendTo(t, j, engine.Batch{Requests: []engine.Request{at(1, true)}}, true)
	trim(t, j, late, engine.Trimmed{Requests: 1})
	if got := indexes(t, j, 1<<63, 9); !reflect.DeepEqual(got, []uint64{last}) {
		t.Errorf("requests %v are left; want the one that is not done", got)
	}
}

// What was written while the clock was ahead keeps nothing that follows it from being dropped (JRN-38).
func testTrimAhead(t *testing.T, h Harness) {
	j := h.Create(t)
	const ahead, last, now = 2, 6, 20
	b := engine.Batch{Records: tail(nil, last)}
	for index := uint64(1); index <= last; index++ {
		r, m, a := at(index, true), message(1, index), audit(1, index)
		m.At, a.At = r.Accepted, r.Accepted
		if index == ahead {
			r.Accepted, r.Replied, m.At, a.At = 1<<40, 1<<40, 1<<40, 1<<40
		}
		b.Requests, b.Messages, b.Audit = append(b.Requests, r), append(b.Messages, m), append(b.Audit, a)
	}
	appendTo(t, j, b, true)
	const young = 2 // from 5 on
	keep := engine.Keep{Since: last - young + 1, Now: now}
	const goes = last - young - 1
	trim(t, j, keep, engine.Trimmed{Requests: goes, Messages: goes, Audit: goes})
	if got := indexes(t, j, 1<<63, 9); !reflect.DeepEqual(got, []uint64{6, 5, ahead}) {
		t.Errorf("requests %v are left; want those that are young or of a clock that was ahead", got)
	}
	trim(t, h.Reopen(t), keep, engine.Trimmed{})
}

func size(t rapid.TB, records []engine.Record) (bytes int64) {
	t.Helper()
	for _, r := range records {
		n, err := engine.Size(r)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
	}
	return bytes
}

func trim(t rapid.TB, j engine.Journal, keep engine.Keep, want engine.Trimmed) {
	t.Helper()
	got, err := j.Trim(keep)
	if err != nil || got != want {
		t.Fatalf("Trim %+v dropped %+v, error %v; want %+v", keep, got, err, want)
	}
}

func checkKept(t rapid.TB, when string, j engine.Journal, want engine.Kept) {
	t.Helper()
	if got, err := j.Kept(); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: Kept is %+v, error %v; want %+v", when, got, err, want)
	}
}
