package journaltest

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// written returns n messages and n audit records, as appended three at a time.
func written(n int) (messages []engine.Message, records []engine.Audit) {
	for i := range n {
		index := uint64(i/3 + 1)
		messages = append(messages, message(i+1, index))
		records = append(records, audit(i+1, index))
	}
	return messages, records
}

// append3 appends messages and audit records, three to a step.
func append3(t rapid.TB, j engine.Journal, messages []engine.Message, records []engine.Audit) {
	t.Helper()
	var gone []engine.Record
	for from := 0; from < len(messages); from += 3 {
		to := min(from+3, len(messages))
		b := engine.Batch{Records: tail(gone, 1), Messages: messages[from:to], Audit: records[from:to]}
		appendTo(t, j, b, to == len(messages))
		gone = append(gone, b.Records...)
	}
}

func testMessages(t *testing.T, h Harness) {
	j := h.Create(t)
	checkMessages(t, "empty", j, nil)
	want, records := written(11)
	append3(t, j, want, records)
	checkMessages(t, "appended", j, want)
	checkMessages(t, "reopened", h.Reopen(t), want)
	checkMessages(t, "after a crash", h.Crash(t), want)
}

func testAudit(t *testing.T, h Harness) {
	j := h.Create(t)
	checkAudit(t, "empty", j, nil)
	messages, want := written(11)
	append3(t, j, messages, want)
	checkAudit(t, "appended", j, want)
	checkAudit(t, "reopened", h.Reopen(t), want)
	checkAudit(t, "after a crash", h.Crash(t), want)
}

// One read returns no more than it is asked for, and never more than ReadMax.
func testReadMax(t *testing.T, h Harness) {
	j := h.Create(t)
	n := len(chats()) * (engine.ReadMax + 2)
	messages, records := written(n)
	append3(t, j, messages, records)
	to := fsm.Origin{Channel: "a", Chat: "d"}
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, engine.ReadMax: engine.ReadMax, engine.ReadMax + 1: engine.ReadMax, math.MaxInt: engine.ReadMax} {
		if got := readMessages(t, j, to, 0, limit); len(got) != want {
			t.Errorf("Messages with limit %d: %d; want %d", limit, len(got), want)
		}
		for _, session := range []string{"", "ab"} {
			if got := readAudit(t, j, session, 0, limit); len(got) != want {
				t.Errorf("Audit of %q with limit %d: %d; want %d", session, limit, len(got), want)
			}
		}
	}
}

// checkMessages reads every channel and chat, from the beginning and on from each
// message, two at a time.
func checkMessages(t rapid.TB, when string, j engine.Journal, all []engine.Message) {
	t.Helper()
	for _, to := range append(chats(), fsm.Origin{}, fsm.Origin{Channel: "nobody's"}, fsm.Origin{Channel: "a", Chat: "nobody's"}) {
		var want []engine.Message
		for _, m := range all {
			if m.IsTo(to) {
				want = append(want, m)
			}
		}
		var got []engine.Message
		for after := uint64(0); ; {
			some := readMessages(t, j, to, after, 2)
			if len(some) == 0 {
				break
			}
			got = append(got, some...)
			after = some[len(some)-1].Position
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: messages to %+v differ\n- want %s\n+ got  %s", when, to, show(want), show(got))
		}
		if some := readMessages(t, j, to, 1<<64-1, 2); len(some) != 0 {
			t.Fatalf("%s: %d messages after the last position", when, len(some))
		}
	}
}

// checkAudit is checkMessages for audit records.
func checkAudit(t rapid.TB, when string, j engine.Journal, all []engine.Audit) {
	t.Helper()
	for _, session := range append(sessions(), "nobody's") {
		var want []engine.Audit
		for _, a := range all {
			if session == "" || a.Session == session {
				want = append(want, a)
			}
		}
		var got []engine.Audit
		for after := uint64(0); ; {
			some := readAudit(t, j, session, after, 2)
			if len(some) == 0 {
				break
			}
			got = append(got, some...)
			after = some[len(some)-1].Position
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: audit of %q differs\n- want %s\n+ got  %s", when, session, show(want), show(got))
		}
	}
}

func readMessages(t rapid.TB, j engine.Journal, to fsm.Origin, after uint64, limit int) []engine.Message {
	t.Helper()
	found, err := j.Messages(to, after, limit)
	if err != nil {
		t.Fatalf("Messages to %+v after %d: %v", to, after, err)
	}
	return found
}

func readAudit(t rapid.TB, j engine.Journal, session string, after uint64, limit int) []engine.Audit {
	t.Helper()
	found, err := j.Audit(session, after, limit)
	if err != nil {
		t.Fatalf("Audit of %q after %d: %v", session, after, err)
	}
	return found
}
