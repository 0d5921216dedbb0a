package journaltest

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
)

func testRequests(t *testing.T, h Harness) {
	j := h.Create(t)
	a, b := fsm.RequestKey{Channel: "udp", ID: "a"}, fsm.RequestKey{Channel: "udp", ID: "b"}
	appendTo(t, j, engine.Batch{
		Records:  tail(nil, 2),
		Requests: []engine.Request{request(a, 0), request(b, 0)},
	}, true)
	checkRequest(t, "accepted", j, a, request(a, 0))
	appendTo(t, j, engine.Batch{
		Records:  tail(tail(nil, 2), 1),
		Requests: []engine.Request{request(a, 3)},
	}, true)
	checkRequest(t, "answered", j, a, request(a, 3))
	checkRequest(t, "still waiting", j, b, request(b, 0))
	j = h.Reopen(t)
	checkRequest(t, "reopened, answered", j, a, request(a, 3))
	checkRequest(t, "reopened, waiting", j, b, request(b, 0))
}

// Keys whose parts are equal when joined, or are empty.
func testRequestKeys(t *testing.T, h Harness) {
	keys := []fsm.RequestKey{
		{Principal: "a", Channel: "b", ID: "c"},
		{Principal: "ab", Channel: "", ID: "c"},
		{Principal: "", Channel: "ab", ID: "c"},
		{Principal: "a", Channel: "bc", ID: ""},
		{Principal: "a/b", Channel: "c", ID: "d"},
		{Principal: "a", Channel: "b/c", ID: "d"},
		{Principal: "a\x00", Channel: "b", ID: "c"},
		{Principal: "a", Channel: "\x00b", ID: "c"},
		{ID: "c"},
		{ID: "磁盘"},
	}
	j := h.Create(t)
	b := engine.Batch{Records: tail(nil, 1)}
	for i, key := range keys {
		b.Requests = append(b.Requests, request(key, i))
	}
	appendTo(t, j, b, true)
	j = h.Reopen(t)
	for i, key := range keys {
		checkRequest(t, "reopened", j, key, request(key, i))
	}
}

// What was appended with sync survives, and so does everything before it.
func testSync(t *testing.T, h Harness) {
	j := h.Create(t)
	key := fsm.RequestKey{ID: "r"}
	appendTo(t, j, engine.Batch{Records: tail(nil, 3), Requests: []engine.Request{request(key, 0)}}, false)
	appendTo(t, j, engine.Batch{Records: tail(tail(nil, 3), 2)}, true)
	for range 2 { // what survived a crash survives the next one
		j = h.Crash(t)
		check(t, "after a crash", tail(nil, 5), replay(t, j, 0))
		checkRequest(t, "after a crash", j, key, request(key, 0))
	}
}

// A sync with nothing to append still makes durable what is there.
func testEmptySync(t *testing.T, h Harness) {
	j := h.Create(t)
	appendTo(t, j, engine.Batch{Records: tail(nil, 3)}, false)
	appendTo(t, j, engine.Batch{}, true)
	check(t, "after a crash", tail(nil, 3), replay(t, h.Crash(t), 0))
}

// An unsynced tail may be lost, in whole batches and from the end only, and the journal
// goes on from what is left.
func testUnsyncedTail(t *testing.T, h Harness) {
	j := h.Create(t)
	key := fsm.RequestKey{ID: "r"}
	appendTo(t, j, engine.Batch{Records: tail(nil, 2), Requests: []engine.Request{request(key, 0)}}, true)
	all := tail(nil, 2)
	for n := range 5 {
		batch := tail(all, 3)
		appendTo(t, j, engine.Batch{Records: batch, Requests: []engine.Request{request(key, n+1)}}, false)
		all = append(all, batch...)
	}
	j = h.Crash(t)
	got := replay(t, j, 0)
	if len(got) < 2 || (len(got)-2)%3 != 0 {
		t.Fatalf("%d records survive; want the 2 synced ones and whole batches of 3", len(got))
	}
	check(t, "after a crash", all[:len(got)], got)
	checkRequest(t, "after a crash", j, key, request(key, (len(got)-2)/3))
	more := tail(got, 2)
	appendTo(t, j, engine.Batch{Records: more}, true)
	check(t, "gone on", append(got, more...), replay(t, h.Crash(t), 0))
}

func testSnapshot(t *testing.T, h Harness) {
	j := h.Create(t)
	appendTo(t, j, engine.Batch{Records: tail(nil, 4)}, true)
	saveSnapshot(t, j, 2, snapshot(1))
	checkSnapshot(t, "first", j, 2, snapshot(1))
	saveSnapshot(t, j, 4, snapshot(3))
	checkSnapshot(t, "second", j, 4, snapshot(3))
	more := tail(tail(nil, 4), 3)
	appendTo(t, j, engine.Batch{Records: more}, true)
	j = h.Reopen(t)
	checkSnapshot(t, "reopened", j, 4, snapshot(3))
	check(t, "after the snapshot", more, replay(t, j, 4))
}

// A snapshot is durable, and so are the records that it stands for.
func testSnapshotCrash(t *testing.T, h Harness) {
	j := h.Create(t)
	appendTo(t, j, engine.Batch{Records: tail(nil, 4)}, false)
	saveSnapshot(t, j, 4, snapshot(2))
	j = h.Crash(t)
	checkSnapshot(t, "after a crash", j, 4, snapshot(2))
	check(t, "after the snapshot", nil, replay(t, j, 4))
	more := tail(tail(nil, 4), 2)
	appendTo(t, j, engine.Batch{Records: more}, true)
	check(t, "gone on", more, replay(t, h.Crash(t), 4))
}

func testReopen(t *testing.T, h Harness) {
	j := h.Create(t)
	var want []engine.Record
	for n := range 4 {
		batch := tail(want, 2)
		appendTo(t, j, engine.Batch{Records: batch}, n%2 == 0)
		want = append(want, batch...)
		j = h.Reopen(t)
		check(t, "reopened", want, replay(t, j, 0))
	}
}

func saveSnapshot(t rapid.TB, j engine.Journal, index uint64, s state.Snapshot) {
	t.Helper()
	if err := j.SaveSnapshot(index, s); err != nil {
		t.Fatalf("SaveSnapshot at %d: %v", index, err)
	}
}

func checkSnapshot(t rapid.TB, when string, j engine.Journal, index uint64, want state.Snapshot) {
	t.Helper()
	checkSnapshotAt(t, when, j, math.MaxUint64, index, want)
}

// checkSnapshotAt compares the last snapshot at or before a record.
func checkSnapshotAt(t rapid.TB, when string, j engine.Journal, record, index uint64, want state.Snapshot) {
	t.Helper()
	at, got, err := j.Snapshot(record)
	if err != nil {
		t.Fatalf("%s: Snapshot: %v", when, err)
	}
	if at != index || show(got) != show(want) || got.Hash() != want.Hash() {
		t.Fatalf("%s: snapshot differs\n- want %d %s\n+ got  %d %s", when, index, show(want), at, show(got))
	}
}

// checkRequest compares a request record; a zero want means that there must be none.
func checkRequest(t rapid.TB, when string, j engine.Journal, key fsm.RequestKey, want engine.Request) {
	t.Helper()
	got, ok, err := j.Request(key)
	if err != nil {
		t.Fatalf("%s: Request %+v: %v", when, key, err)
	}
	if ok != (want != engine.Request{}) || !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: request %+v differs\n- want %s\n+ got  %s", when, key, show(want), show(got))
	}
}
