package comm_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// box keeps entries in the order of their ids.
type box struct{ entries []fsm.Entry }

func (b *box) at(id string) (int, bool) {
	return slices.BinarySearchFunc(b.entries, id, func(e fsm.Entry, id string) int { return strings.Compare(e.ID, id) })
}

func (b *box) PutEntry(e fsm.Entry) error {
	i, there := b.at(e.ID)
	if there {
		b.entries[i] = e
	} else {
		b.entries = slices.Insert(b.entries, i, e)
	}
	return nil
}

func (b *box) Entries(fn func(fsm.Entry) error) error {
	for _, e := range b.entries {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

func (b *box) Entry(id string) (fsm.Entry, bool, error) {
	if i, there := b.at(id); there {
		return b.entries[i], true, nil
	}
	return fsm.Entry{}, false, nil
}

func (b *box) ForgetEntries(ids []string) error {
	b.entries = slices.DeleteFunc(b.entries, func(e fsm.Entry) bool { return slices.Contains(ids, e.ID) })
	return nil
}

func (b *box) Forgotten(string) (bool, error) { return false, nil }
func (b *box) SyncEntries() error             { return nil }
func (b *box) Space() error                   { return nil }

// remembering serves a memory with entries.
func remembering(t *testing.T, entries ...fsm.Entry) *site {
	t.Helper()
	m, err := memory.Open(&box{}, memory.Options{})
	if err == nil && len(entries) > 0 {
		_, err = m.Bring(t.Context(), entries, memory.Bringing{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return serveHTTP(t, func(o *comm.HTTPOptions) {
		o.Memory, o.Now = m, func() time.Time { return time.UnixMilli(5000) }
	})
}

var remembered = []fsm.Entry{
	{ID: "a", Kind: "note", Session: "s", At: 1, Summary: "the disk", Text: "the disk of web1"},
	{ID: "b", Kind: "user", At: 2, Summary: "nginx", Text: "nginx"},
	{ID: "c/../c", Kind: "note", At: 3, Summary: "apache", Text: "apache"},
}

func TestCOM17EntriesAreListedByWhatIsAsked(t *testing.T) {
	s := remembering(t, remembered...)
	for query, want := range map[string]struct {
		ids   []string
		total int
	}{
		"":                   {[]string{"c/../c", "b", "a"}, 3},
		"?limit=1&skip=1":    {[]string{"b"}, 3},
		"?kind=note":         {[]string{"c/../c", "a"}, 2},
		"?session=s":         {[]string{"a"}, 1},
		"?session=":          {[]string{"c/../c", "b"}, 2},
		"?since=2":           {[]string{"c/../c", "b"}, 2},
		"?since=2&before=3":  {[]string{"b"}, 1},
		"?kind=event&limit=": {[]string{}, 0},
	} {
		var body comm.MemoryBody
		r := s.do(call{method: "GET", path: "/v1/memory" + query}, &body)
		ids := []string{}
		for _, e := range body.Entries {
			ids = append(ids, e.ID)
		}
		if diff := cmp.Diff(want.ids, ids); diff != "" || body.Total != want.total || body.Memory.Entries != 3 || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, total %d, %s", query, r.StatusCode, body.Total, diff)
		}
	}
}

func TestCOM17AnEntryIsShownWholeByItsID(t *testing.T) {
	s := remembering(t, remembered...)
	var e comm.EntryBody
	if r := s.do(call{method: "GET", path: "/v1/memory/entries/c%2F%2E%2E%2Fc"}, &e); r.StatusCode != http.StatusOK || e.Text != "apache" || e.At != 3 {
		t.Errorf("got %d %+v; want 200, Text %q, At 3", r.StatusCode, e, "apache")
	}
	var body comm.ProblemBody
	if r := s.do(call{method: "GET", path: "/v1/memory/entries/d"}, &body); r.StatusCode != http.StatusNotFound {
		t.Errorf("got %d %+v; want 404", r.StatusCode, body)
	}
}

func TestCOM17ASearchTellsItsReasons(t *testing.T) {
	s := remembering(t, remembered...)
	var r memory.Result
	s.do(call{method: "GET", path: "/v1/memory/search?text=disk+web1&k=1"}, &r)
	if len(r.Found) != 1 || r.Found[0].ID != "a" || r.Found[0].Keyword == nil || r.Keywords == "" {
		t.Errorf("got %+v; want 1 Found, Found[0].ID %q, some Found[0].Keyword, some Keywords", r, "a")
	}
}

func TestCOM17EntriesAreBroughtInAndForgotten(t *testing.T) {
	s := remembering(t)
	bring := func(body string) (done memory.Brought) {
		t.Helper()
		if r := s.do(call{method: "POST", path: "/v1/memory", body: body}, &done); r.StatusCode != http.StatusOK {
			t.Errorf("%s: got %d; want 200", body, r.StatusCode)
		}
		return done
	}
	if got := bring(`{"entries":[{"id":"n","text":"a b"}],"dry_run":true}`); got != (memory.Brought{Added: 1}) {
		t.Errorf("a dry run: %+v", got)
	}
	if got := bring(`{"entries":[{"id":"n","text":" a b "}]}`); got != (memory.Brought{Added: 1}) {
		t.Errorf("a new one: %+v", got)
	}
	if got := bring(`{"entries":[{"id":"n","text":"c"}]}`); got != (memory.Brought{Skipped: 1}) {
		t.Errorf("one that is there: %+v", got)
	}
	var e comm.EntryBody
	s.do(call{method: "GET", path: "/v1/memory/entries/n"}, &e)
	if want := comm.NewEntryBody(fsm.Entry{ID: "n", Kind: "note", At: 5000, Summary: "a b", Text: " a b "}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
	var gone comm.ForgetBody
	if s.do(call{method: "POST", path: "/v1/memory/forget", body: `{"ids":["n","nobody"]}`}, &gone); gone.Forgotten != 1 {
		t.Errorf("forgotten: %+v", gone)
	}
	if r := s.do(call{method: "GET", path: "/v1/memory/entries/n"}, &e); r.StatusCode != http.StatusNotFound {
		t.Errorf("it is there: %d", r.StatusCode)
	}
}

func TestCOM17WhatIsMalformedIsRefused(t *testing.T) {
	s := remembering(t, remembered...)
	for _, c := range []call{
		{method: "GET", path: "/v1/memory?limit=x"},
		{method: "GET", path: "/v1/memory?limit=0"},
		{method: "GET", path: "/v1/memory/search?text=disk&k=0"},
		{method: "GET", path: "/v1/memory?sesion=s"},
		{method: "GET", path: "/v1/memory/search"},
		{method: "GET", path: "/v1/memory/search?text=a&mode=odd"},
		{method: "GET", path: "/v1/memory/export?vectors=no"},
		{method: "POST", path: "/v1/memory", body: `{"entries":[{"id":"n"}]}`},
		{method: "POST", path: "/v1/memory", body: `{"entries":[{"id":"n","text":"a","colour":"red"}]}`},
		{method: "POST", path: "/v1/memory", body: `{"entries":[{"id":"n","text":"a"},7]}`},
		{method: "POST", path: "/v1/memory", body: `{"entries":[],"replace":"yes"}`},
		{method: "POST", path: "/v1/memory/forget", body: `{"ids":[]}`},
		{method: "POST", path: "/v1/memory/forget", body: `{"ids":[""]}`},
	} {
		var body comm.ProblemBody
		if r := s.do(c, &body); r.StatusCode != http.StatusBadRequest || body.Error.Message == "" {
			t.Errorf("%s %s %s: got %d %+v; want 400, some Error.Message", c.method, c.path, c.body, r.StatusCode, body)
		}
	}
	var nothing comm.ProblemBody
	s.do(call{method: "GET", path: "/v1/memory/search?text=+"}, &nothing)
	if want := "query parameter text is missing or empty"; nothing.Error.Message != want || nothing.Error.Hint != "say what to look for, as in ?text=disk" {
		t.Errorf("%+v, want %s", nothing.Error, want)
	}
	var list comm.MemoryBody
	if s.do(call{method: "GET", path: "/v1/memory"}, &list); list.Total != len(remembered) {
		t.Errorf("%d entries are there", list.Total)
	}
}

// unready is a memory that is still being read, or that has no space.
type unready struct {
	*memory.Memory
	wait, bring error
}

func (u unready) Wait(context.Context) error { return u.wait }

func (u unready) Bring(context.Context, []fsm.Entry, memory.Bringing) (memory.Brought, error) {
	return memory.Brought{}, u.bring
}

func TestCOM17AMemoryThatIsNotReadyRefusesForNow(t *testing.T) {
	m, err := memory.Open(&box{}, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entries := call{method: "POST", path: "/v1/memory", body: `{"entries":[{"id":"n","text":"a"}]}`}
	for _, test := range []struct {
		memory unready
		status int
	}{
		{unready{m, context.DeadlineExceeded, nil}, http.StatusTooManyRequests},
		{unready{m, nil, engine.ErrNoSpace}, http.StatusInsufficientStorage},
	} {
		s := serveHTTP(t, func(o *comm.HTTPOptions) { o.Memory = test.memory })
		var body comm.ProblemBody
		if r := s.do(entries, &body); r.StatusCode != test.status || body.Error.Hint == "" {
			t.Errorf("%d %+v, want %d", r.StatusCode, body, test.status)
		}
	}
}

// A look at one entry and an export need no index, so they do not wait for it.
func TestMEM7AnEntryAndAnExportCanBeReadBeforeTheMemory(t *testing.T) {
	m, err := memory.Open(&box{}, memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Store(t.Context(), fsm.Entry{ID: "n", Summary: "a"}); err != nil {
		t.Fatal(err)
	}
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.Memory = unready{Memory: m, wait: context.DeadlineExceeded} })
	var entry comm.EntryBody
	if r := s.do(call{method: "GET", path: "/v1/memory/entries/n"}, &entry); r.StatusCode != http.StatusOK || entry.Summary != "a" {
		t.Errorf("an entry: %d %+v", r.StatusCode, entry)
	}
	r := s.start(call{method: "GET", path: "/v1/memory/export"})
	defer r.Body.Close()
	read := 0
	if err := memory.ReadFile(r.Body, func(int, fsm.Entry, error) error { read++; return nil }); err != nil || read != 1 {
		t.Errorf("an export: %d, %d entries, %v", r.StatusCode, read, err)
	}
}
