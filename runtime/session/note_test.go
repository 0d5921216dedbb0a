package session_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/session"
)

func (f *fixture) write(n session.Note) session.Written {
	f.t.Helper()
	w, err := f.Write(context.Background(), n)
	if err != nil {
		f.t.Fatal(err)
	}
	return w
}

func added(key, text string) session.Note {
	return session.Note{Key: key, File: session.MemoryFile, Text: text}
}

func TestMEM15ACallThatComesAgainWritesNothingTwice(t *testing.T) {
	f := start(t)
	f.write(added("h1.1.a", "Ann likes tea."))
	f.write(session.Note{Key: "h1.2.b", File: session.HistoryFile, Text: "We talked."})
	f.crash()
	if w := f.write(added("h1.1.a", "Ann likes tea.")); !w.Already {
		t.Errorf("written twice: %+v", w)
	}
	f.write(session.Note{Key: "h1.2.b", File: session.HistoryFile, Text: "We talked."})
	f.write(added("h1.3.c", "- Bob likes coffee."))
	if got, want := f.load("s").Memory, "Ann likes tea.\n- Bob likes coffee."; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
	if got := f.read("HISTORY.md"); strings.Count(got, "We talked.") != 1 || !strings.HasPrefix(got, "[1970-01-01 00:00] We talked.\n") {
		t.Errorf("HISTORY.md is %q", got)
	}
}

func TestMEM15ATextTakesThePlaceOfOne(t *testing.T) {
	f := start(t)
	f.edit("MEMORY.md", "Ann likes tea.\nAnn likes cake.\n")
	for _, c := range []struct {
		note session.Note
		want error
	}{
		{session.Note{File: "MEMORY.md", Old: "Ann likes", Text: "x"}, session.ErrOlds},
		{session.Note{File: "MEMORY.md", Old: "Bob", Text: "x"}, session.ErrNoOld},
		{session.Note{File: "MEMORY.md", Text: " \n"}, session.ErrEmpty},
		{session.Note{File: "HISTORY.md", Text: ""}, session.ErrEmpty},
		{session.Note{File: "HISTORY.md", Old: "Ann", Text: "x"}, session.ErrOnlyAdd},
		{session.Note{File: "MEMORY.md", Text: strings.Repeat("x", 1<<20)}, session.ErrTooLong},
		{session.Note{File: "approvals.yaml", Text: "x"}, session.ErrNoFile},
	} {
		if _, err := f.Write(context.Background(), c.note); !errors.Is(err, c.want) {
			t.Errorf("%+.40v: %v, want %v", c.note, err, c.want)
		}
	}
	if got := f.read("MEMORY.md"); got != "Ann likes tea.\nAnn likes cake.\n" {
		t.Errorf("a refusal has left %q", got)
	}
	f.write(session.Note{Key: "k", File: "MEMORY.md", Old: "tea", Text: "coffee"})
	f.write(session.Note{Key: "l", File: "MEMORY.md", Old: "Ann likes cake.\n"})
	if got := f.load("s").Memory; strings.TrimSpace(got) != "Ann likes coffee." {
		t.Errorf("MEMORY.md is %q", got)
	}
}

// What a call writes during a turn is someone else's change to the consolidation of that turn, and
// the marks of both stay.
func TestMEM15ANoteAndAConsolidationKeepEachOther(t *testing.T) {
	f := start(t)
	f.edit("MEMORY.md", "old memory")
	e := learn(turn("h1", f.load("s"), "hello"), "new memory", "an entry")
	f.write(added("h1.1.a", "a note"))
	now := f.save(e, true)
	if now.Memory != "old memory\na note" {
		t.Fatalf("the conflict shows %q", now.Memory)
	}
	e.State.Memory, e.State.MemoryHash = now.Memory+"\n\nnew memory", now.MemoryHash
	f.save(e, false)
	f.write(added("h2.1.b", "another"))
	f.crash() // the unsynced session is lost, and the save comes again
	f.save(e, false)
	if w := f.write(added("h1.1.a", "a note")); !w.Already {
		t.Error("the consolidation has lost the mark of the note")
	}
	if got, want := f.load("s").Memory, "old memory\na note\n\nnew memory\nanother"; got != want {
		t.Errorf("MEMORY.md is %q, want %q", got, want)
	}
}

func TestMEM15AFailureLeavesTheFileWhole(t *testing.T) {
	f := start(t)
	f.edit("MEMORY.md", "old")
	if err := os.MkdirAll(f.path("MEMORY.md.tmp/x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(context.Background(), added("k", "note")); err == nil || f.read("MEMORY.md") != "old" {
		t.Errorf("%v, and there is %q", err, f.read("MEMORY.md"))
	}
	if err := os.RemoveAll(f.path("MEMORY.md.tmp")); err != nil {
		t.Fatal(err)
	}
	f.write(added("k", "note"))
	if got := f.load("s").Memory; got != "old\nnote" {
		t.Errorf("MEMORY.md is %q", got)
	}
}

func TestMEM14LinesAreThoseThatAPersonSees(t *testing.T) {
	f := start(t)
	f.edit("HISTORY.md", "one\r\ntwo\xff\n"+strings.Repeat("x", 70<<10)+"\nfour")
	f.write(session.Note{Key: "k", File: "HISTORY.md", Text: "[2026-01-05 09:00] five"})
	var got []string
	err := f.History(context.Background(), func(number int, line string) bool {
		if number != len(got)+1 {
			t.Errorf("line %d is numbered %d", len(got)+1, number)
		}
		got = append(got, line[:min(len(line), 30)])
		return true
	})
	want := []string{"one", "two\uFFFD", strings.Repeat("x", 30), "four", "[2026-01-05 09:00] five", ""}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, lines (-want +got):\n%s", err, diff)
	}
	read := session.Reading(f.data)
	if _, err := read.Write(context.Background(), added("k", "x")); !errors.Is(err, session.ErrReading) {
		t.Errorf("who only reads has written: %v", err)
	}
	f.write(added("m", "Ann likes tea."))
	if text, err := read.Memory(); text != "Ann likes tea." || err != nil {
		t.Errorf("who only reads sees %q, %v", text, err)
	}
}

// MEMORY.md has the sources of everything that was written into it, and a person's if a person has
// changed it, even after a crash.
func TestMSG2TheFileHasTheSourcesOfAll(t *testing.T) {
	f := start(t)
	from := func(want ...string) {
		t.Helper()
		f.crash()
		if diff := cmp.Diff(want, f.load("s").MemorySource.Names()); diff != "" {
			t.Error(diff)
		}
	}
	from()
	note := added("h1.1.a", "Ann likes tea.")
	note.Source = fsm.FromModel | fsm.FromOutside
	f.write(note)
	from("outside", "model")
	f.write(added("h1.2.b", "Bob likes coffee."))
	from("outside", "model")
	f.edit("MEMORY.md", strings.Replace(f.read("MEMORY.md"), "tea", "cake", 1))
	from("person", "outside", "model")
	s := f.load("s")
	s.Memory, s.MemorySource = "Ann likes cake.", s.MemorySource|fsm.FromOperator
	f.save(fsm.SaveSession{Session: "s", Turn: "t1", State: s, Memory: true}, false)
	from("operator", "person", "outside", "model")
	f.edit("MEMORY.md", "Ann likes cake.")
	from("person") // the mark names no other source
}
