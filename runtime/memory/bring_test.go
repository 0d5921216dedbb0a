package memory_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/memory"
)

func note(id, summary string) fsm.Entry {
	return fsm.Entry{ID: id, Kind: memory.KindNote, At: 1, Summary: summary, Text: summary}
}

// Entries are durable when Bring returns, and bringing them in again changes nothing (CLI-20).
func TestBroughtEntriesAreSyncedOnce(t *testing.T) {
	s := &shelf{}
	m, err := memory.Open(s, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	both := []fsm.Entry{note("a", "disk"), note("b", "nginx")}
	for _, want := range []memory.Brought{{Added: 2}, {Skipped: 2}} {
		if got, err := m.Bring(t.Context(), both, memory.Bringing{}); got != want || err != nil || s.synced != 2 {
			t.Errorf("%+v, %v, synced %d; want %+v", got, err, s.synced, want)
		}
	}
	if got, err := m.Bring(t.Context(), []fsm.Entry{note("a", "apache"), note("c", "new")}, memory.Bringing{Replace: true, Dry: true}); got != (memory.Brought{Added: 1, Replaced: 1}) || err != nil {
		t.Errorf("dry: %+v, %v", got, err)
	}
	wantRecall(t, m, "apache", 5)
	s.full = errors.New("the disk is full")
	if _, err := m.Bring(t.Context(), []fsm.Entry{note("c", "new")}, memory.Bringing{}); !errors.Is(err, s.full) {
		t.Errorf("without space: %v", err)
	}
	if _, err := m.Bring(t.Context(), []fsm.Entry{note("c", "new"), {ID: "d"}}, memory.Bringing{}); err == nil {
		t.Error("an entry of nothing was brought")
	}
	wantRecall(t, m, "new", 5)
}

func TestAnEntryWithoutASummaryHasTheBeginningOfItsText(t *testing.T) {
	long := strings.Repeat("磁盘 disk ", 300)
	s := memory.Beginning(long)
	if n := utf8.RuneCountInString(s); n > 502 || n < 400 || !strings.HasSuffix(s, " …") || !strings.HasPrefix(long, strings.TrimSuffix(s, " …")) {
		t.Errorf("%d characters: %q", n, s)
	}
	m := open(t, nil)
	if _, err := m.Bring(t.Context(), []fsm.Entry{{ID: "a", Text: " short \n"}}, memory.Bringing{}); err != nil {
		t.Fatal(err)
	}
	if e, _, err := m.Get(t.Context(), "a"); e.Summary != "short" || e.Text != " short \n" || err != nil {
		t.Errorf("got %+v, %v; want Summary %q, Text %q", e, err, "short", " short \n")
	}
}

// Whatever can be brought in is the same after it is exported and read.
func TestAnExportIsReadAsItWas(t *testing.T) {
	texts := rapid.StringOf(rapid.RuneFrom([]rune("a b\n\"\\<&>磁\u2028\x00😀")))
	some := rapid.Custom(func(t *rapid.T) fsm.Entry {
		e := fsm.Entry{Kind: "note", Session: rapid.SampledFrom([]string{"", "s"}).Draw(t, "session")}
		e.At = fsm.Millis(rapid.Int64Range(0, 1<<47).Draw(t, "at"))
		e.Summary, e.Text = "s"+texts.Draw(t, "summary"), texts.Draw(t, "text")
		if rapid.Bool().Draw(t, "has vector") {
			e.Vector, e.Model = vector(rapid.Float32().Draw(t, "x"), 1), "m"
		}
		return e
	})
	rapid.Check(t, func(rt *rapid.T) {
		entries := rapid.SliceOfN(some, 0, 5).Draw(rt, "entries")
		for i := range entries {
			entries[i].ID = string(rune('a' + i))
		}
		m, err := memory.Open(&shelf{}, memory.Options{})
		if err == nil {
			_, err = m.Bring(t.Context(), entries, memory.Bringing{})
		}
		var file bytes.Buffer
		if err == nil {
			err = m.Export(t.Context(), &file, true)
		}
		if err != nil {
			rt.Fatal(err)
		}
		whole := file.String()
		var read []fsm.Entry
		err = memory.ReadFile(&file, func(line int, e fsm.Entry, bad error) error {
			read = append(read, e)
			if bad == nil && line != len(read)+1 {
				rt.Errorf("entry %d has line %d", len(read), line)
			}
			return bad
		})
		if len(entries) == 0 {
			entries = nil
		}
		if diff := cmp.Diff(entries, read); diff != "" || err != nil {
			rt.Fatalf("%v\n%s", err, diff)
		}
		part := whole[:rapid.IntRange(0, len(whole)-2).Draw(rt, "cut")]
		err = memory.ReadFile(strings.NewReader(part), func(int, fsm.Entry, error) error { return nil })
		if !errors.Is(err, memory.ErrCutFile) && !errors.Is(err, memory.ErrNoFile) {
			rt.Fatalf("a file that ends early was read: %v", err)
		}
	})
}

// A later time than a browser knows would keep the page from showing any entry.
func TestCOM17AnEntryHasATimeThatCanBeShown(t *testing.T) {
	for at, good := range map[fsm.Millis]bool{-1: false, 0: true, 253402300799999: true, 253402300800000: false, 1 << 62: false} {
		if err := memory.Check(fsm.Entry{ID: "a", At: at, Text: "b"}); (err == nil) != good {
			t.Errorf("%d: got %v; want an error %t", at, err, !good)
		}
	}
}

// Two exports in one file: nothing after the end of the first is left out silently.
func TestCLI26AFileThatGoesOnAfterItsEndIsAnError(t *testing.T) {
	whole := "{\"shelly_memory\":1}\n{\"id\":\"a\",\"at\":1,\"summary\":\"s\"}\n{\"entries\":1}\n"
	read := func(file string) (n int, err error) {
		err = memory.ReadFile(strings.NewReader(file), func(_ int, _ fsm.Entry, bad error) error {
			n++
			return bad
		})
		return n, err
	}
	if n, err := read(whole + " \r\n\n"); n != 1 || err != nil {
		t.Errorf("with empty lines at its end: %d, %v", n, err)
	}
	if n, err := read(whole + "\n" + whole); n != 1 || !errors.Is(err, memory.ErrLongFile) || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("twice: %d, %v; want 1 and ErrLongFile at line 5", n, err)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add([]byte("{\"shelly_memory\":1}\n{\"id\":\"a\",\"at\":1,\"summary\":\"s\",\"vector\":\"AACAPw==\",\"model\":\"m\"}\n{\"entries\":1}\n"))
	f.Add([]byte("{\"shelly_memory\":1}\n\n{\"entries\":0}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = memory.ReadFile(bytes.NewReader(data), func(_ int, e fsm.Entry, bad error) error {
			if err := memory.Check(e); bad == nil && err != nil {
				t.Errorf("an entry that may not be brought was read: %v", err)
			}
			return nil
		})
	})
}

// After many entries are forgotten, a memory finds what one finds that never had them.
func TestMEM10ForgettingManyLeavesNoTrace(t *testing.T) {
	words := []string{"disk", "full", "web1", "磁盘"}
	rapid.Check(t, func(rt *rapid.T) {
		with, without := open(t, nil), open(t, nil)
		var gone []string
		for i := range 12 {
			e := note(string(rune('a'+i)), strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 4).Draw(rt, "words"), " "))
			all := []*memory.Memory{with, without}
			if rapid.Bool().Draw(rt, "gone") {
				gone, all = append(gone, e.ID, e.ID), all[:1]
			}
			for _, m := range all {
				if _, err := m.Bring(t.Context(), []fsm.Entry{e}, memory.Bringing{}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if n, err := with.Forget(t.Context(), gone...); n != len(gone)/2 || err != nil {
			rt.Fatalf("%d were forgotten of %d, %v", n, len(gone)/2, err)
		}
		for _, need := range words {
			q := memory.Query{Text: need, TopK: 20}
			got, err := with.Search(t.Context(), q)
			want, _ := without.Search(t.Context(), q)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				rt.Fatalf("%s: %v\n%s", need, err, diff)
			}
		}
	})
}
