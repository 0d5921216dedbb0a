package memory_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/memory"
)

func TestMEM3ASearchSaysWhy(t *testing.T) {
	m, _ := vectored(t)
	r, err := m.Search(t.Context(), memory.Query{Text: "north", TopK: 3})
	if err != nil || len(r.Found) == 0 {
		t.Fatalf("got %+v, %v; want some Found", r, err)
	}
	first := r.Found[0]
	if first.Vector == nil || first.Vector.Rank != 1 || first.Vector.Cosine < 0.99 || first.Age != 1 || r.Model == "" || r.Keywords != "" {
		t.Errorf("found %+v by %q, %q", first, r.Model, r.Keywords)
	}
	sum := 0.0
	if first.Keyword != nil {
		sum += 1 / float64(60+first.Keyword.Rank)
	}
	if sum += 1 / float64(60+first.Vector.Rank); math.Abs(first.Score-sum) > 1e-12 {
		t.Errorf("the score is %v; want the sum of its places, %v", first.Score, sum)
	}
}

func TestMEM4ASearchSaysThatItWentByKeywordAlone(t *testing.T) {
	m := open(t, nil, entry("a", 1, "the disk of web1 was full"), entry("b", 2, "nginx was restarted"))
	r, err := m.Search(t.Context(), memory.Query{Text: "disks of web1", TopK: 3})
	if err != nil || len(r.Found) != 1 || r.Found[0].Keyword == nil || r.Found[0].Vector != nil || r.Keywords == "" {
		t.Fatalf("got %+v, %v; want 1 Found, some Found[0].Keyword, no Found[0].Vector, some Keywords", r, err)
	}
	if diff := cmp.Diff([]string{"disk", "web1"}, r.Found[0].Keyword.Terms); diff != "" {
		t.Errorf("the terms that met (-want +got):\n%s", diff)
	}
}

func TestASearchGoesByOneOrderAndAmongSomeEntries(t *testing.T) {
	m, _ := vectored(t)
	for _, mode := range []memory.Mode{memory.Keyword, memory.Vector} {
		r, err := m.Search(t.Context(), memory.Query{Text: "north", TopK: 9, Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Found {
			if (f.Keyword != nil) != (mode == memory.Keyword) || (f.Vector != nil) != (mode == memory.Vector) {
				t.Errorf("by %s: %+v", mode, f)
			}
		}
	}
	some := open(t, nil,
		fsm.Entry{ID: "a", At: 1, Kind: fsm.KindUser, Session: "s", Summary: "disk"},
		fsm.Entry{ID: "b", At: 2, Kind: fsm.KindEvent, Session: "s", Summary: "disk"},
		fsm.Entry{ID: "c", At: 3, Kind: fsm.KindUser, Session: "t", Summary: "disk"},
	)
	for _, test := range []struct {
		filter memory.Filter
		want   []string
	}{
		{memory.Filter{}, []string{"c", "b", "a"}},
		{memory.Filter{OfSession: true, Session: "s"}, []string{"b", "a"}},
		{memory.Filter{Kind: fsm.KindUser}, []string{"c", "a"}},
		{memory.Filter{Since: 2}, []string{"c", "b"}},
	} {
		r, err := some.Search(t.Context(), memory.Query{Text: "disk", TopK: 9, Filter: test.filter})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Found {
			got = append(got, f.ID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.filter, diff)
		}
		list, n, err := some.List(t.Context(), test.filter, 0, 9)
		if err != nil || n != len(test.want) || len(list) != n || list[0].ID != test.want[0] {
			t.Errorf("List %+v: %+v of %d, %v", test.filter, list, n, err)
		}
	}
	if list, n, err := some.List(t.Context(), memory.Filter{}, 1, 1); err != nil || n != 3 || len(list) != 1 || list[0].ID != "b" {
		t.Errorf("the second of three: %+v of %d, %v", list, n, err)
	}
}

func TestMEM9WithAHalfLifeTheOldCountLess(t *testing.T) {
	entries := []fsm.Entry{entry("old", 0, "disk disk disk web1"), entry("new", 1000, "the disk was full and then much else happened here")}
	for _, test := range []struct {
		halfLife fsm.Millis
		first    string
		age      float64
	}{{0, "old", 1}, {1000, "new", 1}, {1 << 40, "old", 1}} {
		m, err := memory.Open(&shelf{}, memory.Options{HalfLife: test.halfLife, Now: func() fsm.Millis { return 1000 }})
		if err != nil {
			t.Fatal(err)
		}
		keep(t, m, entries...)
		r, err := m.Search(t.Context(), memory.Query{Text: "disk web1", TopK: 2})
		if err != nil || len(r.Found) != 2 || r.Found[0].ID != test.first || math.Abs(r.Found[0].Age-test.age) > 1e-6 {
			t.Errorf("half-life %d: %+v, %v; want %s first", test.halfLife, r.Found, err, test.first)
		}
		if test.halfLife == 1000 && r.Found[1].Age != 0.5 {
			t.Errorf("at the age of a half-life %v is left; want a half", r.Found[1].Age)
		}
	}
}

func TestMEM10WhatIsForgottenIsGone(t *testing.T) {
	s := &shelf{}
	m, err := memory.Open(s, memory.Options{Embedder: &model{name: "m", dims: 2}})
	if err != nil {
		t.Fatal(err)
	}
	made := entry("a", 1, "the disk of web1")
	made.Vector, made.Model, made.Kind = vector(1, 16), "m", memory.KindNote
	keep(t, m, made, entry("b", 2, "nginx"))
	if n, err := m.Forget(t.Context(), "a", "nobody's"); n != 1 || err != nil {
		t.Fatalf("Forget: %d, %v; want 1", n, err)
	}
	wantRecall(t, m, "the disk of web1", 5)
	keep(t, m, made) // the turn that made it stores it again
	wantRecall(t, m, "the disk of web1", 5)
	if _, ok, err := m.Get(t.Context(), "a"); ok || err != nil || m.Counts().Entries != 1 {
		t.Errorf("it is there: %v, %v, %+v", ok, err, m.Counts())
	}
	for _, replace := range []bool{false, true} { // only Replace brings it back
		got, err := m.Bring(t.Context(), []fsm.Entry{made}, memory.Bringing{Replace: replace})
		if want := map[bool]memory.Brought{false: {Forgotten: 1}, true: {Added: 1}}[replace]; got != want || err != nil {
			t.Fatalf("Bring, replace %v: %+v, %v", replace, got, err)
		}
	}
	wantRecall(t, m, "the disk of web1", 5, "a")
	keep(t, m, made)
	wantRecall(t, m, "the disk of web1", 5, "a")
}

// A caller that needs the entries before they are read waits until they are, or until its context
// ends.
func TestMEM7EntriesAreReadInTheBackground(t *testing.T) {
	s := &slow{shelf: shelf{entries: []fsm.Entry{entry("a", 1, "disk")}}, begin: make(chan struct{})}
	m := memory.Begin(s, memory.Options{})
	if c := m.Counts(); !c.Loading || c.Entries != 0 {
		t.Errorf("before: %+v; want that it is loading", c)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Recall(ended, fsm.Recall{Need: "disk", TopK: 1}); err == nil {
		t.Error("a recall that has ended got an answer")
	}
	close(s.begin)
	wantRecall(t, m, "disk", 1, "a")
	if c := m.Counts(); c.Loading || c.Entries != 1 {
		t.Errorf("after: %+v; want one entry", c)
	}
	m.Close()
}

// The index is not read before a daemon listens, and not at all by a daemon that never does.
func TestMEM7NothingIsReadBeforeItIsLoaded(t *testing.T) {
	s := shelfOf(entry("a", 1, "disk"))
	m := memory.New(s, memory.Options{})
	found := make(chan []fsm.Memory)
	go func() {
		list, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 1})
		if err != nil {
			t.Error(err)
		}
		found <- list
	}()
	if c := m.Counts(); !c.Loading || c.Entries != 0 || s.reads != 0 {
		t.Errorf("before: %+v after %d readings; want that it is loading, and none", c, s.reads)
	}
	m.Load()
	m.Load()
	if list := <-found; len(list) != 1 {
		t.Errorf("a recall that came before has found %v; want the entry", list)
	}
	m.Close()
	if s.reads != 1 {
		t.Errorf("the entries were read %d times", s.reads)
	}
	never := memory.New(s, memory.Options{})
	never.Close()
	never.Load()
	if err := never.Wait(t.Context()); err == nil || s.reads != 1 {
		t.Errorf("a memory that was closed first: %v after %d readings", err, s.reads)
	}
}

// To show one entry, or export all, a memory reads no index.
func TestMEM7ALookAtAnEntryDoesNotWaitForTheIndex(t *testing.T) {
	s := shelfOf(entry("a", 1, "disk"))
	m := memory.New(s, memory.Options{})
	defer m.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if e, ok, err := m.Get(ctx, "a"); err != nil || !ok || e.Summary != "disk" {
		t.Errorf("got %+v, %t, %v; want ok true, Summary %q", e, ok, err, "disk")
	}
	var out strings.Builder
	if err := m.Export(ctx, &out, false); err != nil || !strings.Contains(out.String(), `"disk"`) {
		t.Errorf("exported is %q, %v", out.String(), err)
	}
}

// slow is a shelf that is read only once begin is closed.
type slow struct {
	shelf
	begin chan struct{}
}

func (s *slow) Entries(fn func(fsm.Entry) error) error {
	<-s.begin
	return s.shelf.Entries(fn)
}

func TestMEM11ARecallGoesByKeywordWhereItsVectorWouldCostTheChatModel(t *testing.T) {
	for _, c := range []struct {
		spare, apart bool
		embedded     int
	}{{true, true, 0}, {true, false, 1}, {false, true, 1}} {
		e := &counted{embedder: &embedder{model: "m", vectors: map[string][]byte{"disk": vector(0, 1)}}}
		m, err := memory.Open(&shelf{}, memory.Options{Embedder: e, Apart: func() bool { return c.apart }})
		if err != nil {
			t.Fatal(err)
		}
		keep(t, m, entry("a", 1, "the disk of web1 was full"))
		found, err := m.Recall(t.Context(), fsm.Recall{Need: "disk", TopK: 3, Spare: c.spare})
		if err != nil || len(found) != 1 || e.times != c.embedded {
			t.Errorf("spare %v, apart %v: found %v, embedded %d times, %v", c.spare, c.apart, found, e.times, err)
		}
	}
}

func TestMEM8NoEntryWaitsForAVectorWhileNoEmbeddingModelIsChosen(t *testing.T) {
	chosen := false
	m, err := memory.Open(&shelf{}, memory.Options{Embedder: &embedder{model: "m"}, Embeds: func() bool { return chosen }})
	if err != nil {
		t.Fatal(err)
	}
	keep(t, m, entry("a", 1, "the disk of web1 was full"))
	if c := m.Counts(); c.Entries != 1 || c.Pending != 0 {
		t.Errorf("without a model: %+v", c)
	}
	chosen = true
	if c := m.Counts(); c.Pending != 1 {
		t.Errorf("with one: %+v", c)
	}
}

// counted counts the texts that are embedded.
type counted struct {
	*embedder
	times int
}

func (c *counted) Embed(ctx context.Context, text string) ([]byte, string, error) {
	c.times++
	return c.embedder.Embed(ctx, text)
}

// What is listed or found at once is bounded in bytes too: an entry that was brought in may have
// megabytes.
func TestCOM17SummariesAreBounded(t *testing.T) {
	long := "disk" + strings.Repeat(" ", memory.SummaryBytesMax/2-4)
	m := open(t, nil, entry("a", 1, long), entry("b", 2, long), entry("c", 3, long+" "), entry("d", 4, "disk"))
	for _, test := range []struct {
		skip int
		want string
	}{{0, "dc"}, {1, "c"}, {2, "ba"}, {3, "a"}, {4, ""}} {
		list, total, err := m.List(t.Context(), memory.Filter{}, test.skip, 10)
		got := ""
		for _, l := range list {
			got += l.ID
		}
		if err != nil || got != test.want || total != 4 {
			t.Errorf("after %d: %s of %d, %v; want %s of 4", test.skip, got, total, err, test.want)
		}
	}
	r, err := m.Search(t.Context(), memory.Query{Text: "disk", TopK: 10})
	if bytes := len(r.Found[0].Summary) + len(r.Found[1].Summary); err != nil || len(r.Found) != 2 || bytes > memory.SummaryBytesMax {
		t.Errorf("%d entries with %d bytes were found, %v; want 2", len(r.Found), bytes, err)
	}
}
