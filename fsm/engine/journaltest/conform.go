package journaltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Harness makes journals of one kind, and restarts or crashes them. Each method fails t if
// it cannot do its part.
type Harness interface {
	// Create returns a new, empty journal. The previous one is no longer used.
	Create(t rapid.TB) engine.Journal
	// Reopen ends the journal's process cleanly and returns what the next one opens.
	Reopen(t rapid.TB) engine.Journal
	// Crash returns what the next process opens after a power failure: everything that was
	// synced, and any part of the rest that the journal may keep.
	Crash(t rapid.TB) engine.Journal
}

// Conform runs the suite: [Promises] and [Histories].
func Conform(t *testing.T, h Harness) {
	t.Helper()
	Promises(t, h)
	t.Run("any history", func(t *testing.T) { Histories(t, h) })
}

// Promises holds a journal to each of its promises.
func Promises(t *testing.T, h Harness) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, Harness)
	}{
		{"empty", testEmpty},
		{"appends in order", testOrder},
		{"replay after an index", testReplayAfter},
		{"replay stops at an error", testReplayStops},
		{"all kinds of input", testInputKinds},
		{"big records", testBigRecords},
		{"requests", testRequests},
		{"request keys do not meet", testRequestKeys},
		{"messages", testMessages},
		{"audit", testAudit},
		{"reads are bounded", testReadMax},
		{"texts", testTexts},
		{"texts that nobody names", testTextNames},
		{"texts are as durable as their records", testTextCrash},
		{"trim of texts", testTextTrim},
		{"sync", testSync},
		{"empty sync", testEmptySync},
		{"unsynced tail", testUnsyncedTail},
		{"snapshot", testSnapshot},
		{"snapshot survives a crash", testSnapshotCrash},
		{"requests in order", testRequestOrder},
		{"trim by age", testTrimByAge},
		{"trim by size", testTrimBySize},
		{"one trim is bounded", testTrimMax},
		{"a trim goes back", testTrimGoesBack},
		{"trim after the clock was ahead", testTrimAhead},
		{"goes on after reopening", testReopen},
		{"space", testSpace},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, h) })
	}
}

func testEmpty(t *testing.T, h Harness) {
	j := h.Create(t)
	for _, name := range []string{"created", "reopened"} {
		check(t, name, nil, replay(t, j, 0))
		if index, _, err := j.Snapshot(math.MaxUint64); index != 0 || err != nil {
			t.Errorf("%s: Snapshot: index %d, error %v; want 0 and none", name, index, err)
		}
		if _, ok, err := j.Request(fsm.RequestKey{ID: "nobody's"}); ok || err != nil {
			t.Errorf("%s: Request of an unknown key: %v, %v; want false and no error", name, ok, err)
		}
		j = h.Reopen(t)
	}
}

// More than 256 records, so that any order but that of the numbers shows.
func testOrder(t *testing.T, h Harness) {
	j := h.Create(t)
	var want []engine.Record
	for len(want) < 300 {
		batch := tail(want, 1+len(want)%7)
		appendTo(t, j, engine.Batch{Records: batch}, len(want)%5 == 0)
		want = append(want, batch...)
	}
	check(t, "as appended", want, replay(t, j, 0))
	check(t, "reopened", want, replay(t, h.Reopen(t), 0))
}

func testReplayAfter(t *testing.T, h Harness) {
	j := h.Create(t)
	want := tail(nil, 5)
	appendTo(t, j, engine.Batch{Records: want}, true)
	for after := range 5 {
		check(t, fmt.Sprintf("after %d", after), want[after:], replay(t, j, uint64(after)))
	}
	for _, after := range []uint64{5, 6, 1 << 40, 1<<64 - 1} {
		check(t, fmt.Sprintf("after %d", after), nil, replay(t, j, after))
	}
}

func testReplayStops(t *testing.T, h Harness) {
	j := h.Create(t)
	appendTo(t, j, engine.Batch{Records: tail(nil, 3)}, true)
	stop, calls := errors.New("enough"), 0
	err := j.Replay(0, func(engine.Record) error {
		calls++
		return stop
	})
	if !errors.Is(err, stop) || calls != 1 {
		t.Errorf("Replay called its function %d times and returned %v; want 1 and %v", calls, err, stop)
	}
	check(t, "afterwards", tail(nil, 3), replay(t, j, 0))
}

func testInputKinds(t *testing.T, h Harness) {
	var want []engine.Record
	for i, in := range inputs() {
		if hole := zeroField(reflect.ValueOf(in.Fact), fsm.InputKind(in)); hole != "" {
			t.Errorf("the sample of %s is zero: give it a value", hole)
		}
		want = append(want, engine.Record{Index: uint64(i + 1), Input: in, Effects: 1<<64 - 1 - uint64(i)})
	}
	j := h.Create(t)
	appendTo(t, j, engine.Batch{Records: want}, true)
	check(t, "as appended", want, replay(t, j, 0))
	check(t, "reopened", want, replay(t, h.Reopen(t), 0))
}

// Records larger than any buffer that a store may have, in text of every length
// of UTF-8 and with characters that JSON escapes.
func testBigRecords(t *testing.T, h Harness) {
	j := h.Create(t)
	var want []engine.Record
	for i, size := range []int{1, 1 << 10, 64 << 10, 1 << 20, 3 << 20, 1} {
		text := strings.Repeat("a\"<é\u2028磁🐚\x00", size/20+1)
		r := engine.Record{Index: uint64(i + 1), Input: fsm.Input{At: 1, Fact: fsm.Requested{Text: text}}, Effects: 7}
		appendTo(t, j, engine.Batch{Records: []engine.Record{r}}, i == 3)
		want = append(want, r)
	}
	check(t, "as appended", want, replay(t, j, 0))
	check(t, "reopened", want, replay(t, h.Reopen(t), 0))
}

func testSpace(t *testing.T, h Harness) {
	if err := h.Create(t).Space(); err != nil {
		t.Errorf("Space: %v; a harness gives a journal room", err)
	}
}

// appendTo appends b or fails t.
func appendTo(t rapid.TB, j engine.Journal, b engine.Batch, sync bool) {
	t.Helper()
	if err := j.Append(b, sync); err != nil {
		t.Fatalf("Append of %d records: %v", len(b.Records), err)
	}
}

// replay returns the records above after, or fails t.
func replay(t rapid.TB, j engine.Journal, after uint64) []engine.Record {
	t.Helper()
	var records []engine.Record
	err := j.Replay(after, func(r engine.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		t.Fatalf("Replay after %d: %v", after, err)
	}
	return records
}

// check fails t at the first record that differs.
func check(t rapid.TB, when string, want, got []engine.Record) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if !reflect.DeepEqual(want[i], got[i]) {
			t.Fatalf("%s: record %d differs\n- want %s\n+ got  %s", when, i+1, show(want[i]), show(got[i]))
		}
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d records; want %d", when, len(got), len(want))
	}
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(data) > 500 {
		return fmt.Sprintf("%s … (%d bytes)", data[:500], len(data))
	}
	return string(data)
}
