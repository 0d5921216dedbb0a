package engine_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// recorded returns the journal of a session, to be tampered with.
func recorded(t *testing.T) *journal {
	t.Helper()
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, session()...)
	return j
}

func TestJRN17AJournalIsHeldAgainstTheTables(t *testing.T) {
	whole, err := engine.Validate(recorded(t))
	if n := len(session()); err != nil || whole.Wrong != nil || whole.First != 1 || whole.Records != n || whole.Moves < n/2 {
		t.Fatalf("got %+v, %v; want no Wrong, First 1, Records %d, Moves at least %d", whole, err, n, n/2)
	}
	for _, test := range []struct {
		name   string
		tamper func(*journal)
		index  uint64
		want   string
	}{
		{"other effects", func(j *journal) { j.Records()[3].Effects++ }, 4, "effects with the hash "},
		{"another input", func(j *journal) { j.Records()[2].Input = fsm.Input{Fact: fsm.Signalled{Name: "TERM"}} }, 3, ""},
		{"a gap", func(j *journal) { j.Records()[4].Index++ }, 6, "record 5"},
		{"another snapshot", func(j *journal) {
			must(t, j.SaveSnapshot(2, state.Snapshot{Lifecycle: state.Serving, LastID: 77}))
		}, 2, "the state of the snapshot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := recorded(t)
			test.tamper(j)
			v, err := engine.Validate(j)
			if err != nil || v.Wrong == nil || v.Wrong.Index != test.index || !strings.HasPrefix(v.Wrong.Expected, test.want) {
				t.Errorf("%+v, %v; want record %d: %s", v.Wrong, err, test.index, test.want)
			}
		})
	}
}

// After the first wrong record only effects are compared, starting over at each snapshot,
// so that one false record does not make all later ones wrong.
func TestJRN26DivergingRecordsAreCountedToTheEnd(t *testing.T) {
	j := newJournal()
	e, _ := start(t, j)
	turn(t, e, session()[:len(session())-1]...) // the end would save a snapshot
	last := len(j.Records())
	machine := machine.New()
	for _, r := range j.Records()[:3] {
		machine.Step(r.Input)
	}
	must(t, j.SaveSnapshot(3, machine.Snapshot()))
	j.Records()[2].Input = fsm.Input{Fact: fsm.Signalled{Name: "TERM"}} // in place of the recorded input
	j.Records()[last-1].Effects++
	v, err := engine.Validate(j)
	if err != nil || v.Wrong == nil || v.Wrong.Index != 3 || v.Records != last || v.Snapshots != 1 {
		t.Fatalf("got %+v, %v; want some Wrong, Wrong.Index 3, Records %d, Snapshots 1", v, err, last)
	}
	if v.Diverging != 2 {
		t.Errorf("%d of %d records diverge", v.Diverging, last)
	}
	found, err := engine.Recover(j)
	if err != nil || found.Saved != 3 || len(found.Diverging) != 1 || found.Diverging[0].Index != uint64(last) {
		t.Errorf("a start finds %+v, %v", found, err)
	}
}

func TestJRN26AWrongRecordNamesItsHandleAndRequest(t *testing.T) {
	j := recorded(t)
	for i, r := range j.Records() {
		if in, ok := r.Input.Fact.(fsm.Requested); ok {
			j.Records()[i].Effects++
			v, err := engine.Validate(j)
			if err != nil || v.Wrong == nil || v.Wrong.Handle == 0 || v.Wrong.Request != in.Request || v.Wrong.Epoch != 1 || len(v.Wrong.Moves) == 0 || v.Diverging != 1 {
				t.Errorf("got %+v, %v, %d; want not nil, Handle not 0, Request %+v, Epoch 1, some Moves, v.Diverging 1", v.Wrong, err, v.Diverging, in.Request)
			}
			return
		}
	}
	t.Error("no request in the journal")
}

// The records before the snapshot may no longer be there.
func TestJRN17AJournalBeginsAfterItsSnapshot(t *testing.T) {
	whole := recorded(t)
	machine, cut := machine.New(), 4
	for _, r := range whole.Records()[:cut] {
		machine.Step(r.Input)
	}
	j := newJournal()
	must(t, j.Append(engine.Batch{Records: whole.Records()[cut:]}, true))
	if v, err := engine.Validate(j); err != nil || v.Wrong == nil || v.Records != 0 {
		t.Errorf("without a snapshot: %+v, %v", v, err)
	}
	from := engine.NewMemoryJournalFrom(uint64(cut), machine.Snapshot())
	must(t, from.Append(engine.Batch{Records: whole.Records()[cut:]}, true))
	if v, err := engine.Validate(from); err != nil || v.Wrong != nil || v.First != uint64(cut)+1 || v.Records != len(session())-cut {
		t.Errorf("got %+v, %v; want no Wrong, First %d, Records %d", v, err, uint64(cut)+1, len(session())-cut)
	}
}

func TestJRN18AJournalFileIsReadAsItWasWritten(t *testing.T) {
	text := written(t, recorded(t), 0)
	j, err := engine.ReadJournal(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if again := written(t, j, 0); again != text {
		t.Errorf("got\n%s; want\n%s", again, text)
	}
	for _, test := range []struct{ line, want string }{
		{"{", "line 1 is not a record: "},
		{`{"index":1,"effects":"x","input":{}}`, `line 1 is not a record: effects wants 16 hexadecimal digits, not "x"`},
		{`{"index":1,"effects":"0","input":{"kind":"nothing"}}`, "line 1 is not a record: "},
		{strings.Repeat(" ", 64<<20), "line 1 is longer than 67108864 bytes"},
	} {
		if _, err := engine.ReadJournal(strings.NewReader(test.line + "\n")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.100s: got %v; want an error with %q", test.line, err, test.want)
		}
	}
}

// COM-16: a part of a journal begins with the snapshot before it, so that it can be folded
// on its own.
func TestAPartOfAJournalIsWrittenAfterItsSnapshot(t *testing.T) {
	whole := recorded(t)
	last := uint64(len(whole.Records()))
	machine := machine.New()
	for _, r := range whole.Records() {
		machine.Step(r.Input)
		if r.Index == 2 || r.Index == last {
			must(t, whole.SaveSnapshot(r.Index, machine.Snapshot()))
		}
	}
	j, err := engine.ReadJournal(strings.NewReader(written(t, whole, 4)))
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Kept{First: 3, Last: last, Snapshots: []uint64{2, last}}
	kept, err := j.Kept()
	if want.Bytes = kept.Bytes; err != nil || !cmp.Equal(kept, want) {
		t.Errorf("%+v, want %+v, %v", kept, want, err)
	}
	if v, err := engine.Validate(j); err != nil || v.Wrong != nil || v.Records != int(last)-2 {
		t.Errorf("got %+v, %v; want no Wrong, Records %d", v, err, int(last)-2)
	}
	var file bytes.Buffer
	if err := engine.WriteJournal(&file, j, 2, last); !errors.Is(err, engine.ErrTrimmed) || file.Len() > 0 {
		t.Errorf("before its first record: %v, %q", err, &file)
	}
	if err := engine.WriteJournal(&file, whole, 4, 0); err != nil || strings.Count(file.String(), "\n") != 1 {
		t.Errorf("the snapshot alone: %v, %q", err, &file)
	}
}

// written returns a journal as a file, from a record on.
func written(t *testing.T, j engine.Reader, from uint64) string {
	t.Helper()
	var file bytes.Buffer
	must(t, engine.WriteJournal(&file, j, from, math.MaxUint64))
	return file.String()
}
