package memory_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	entries "shelly/runtime/memory"
	"shelly/runtime/session"
	"shelly/runtime/store"
	"shelly/runtime/tool"
	"shelly/runtime/tool/memory"
)

// place is a memory of its own.
type place struct {
	t        testing.TB
	data     string
	entries  *entries.Memory
	sessions *session.Sessions
	missing  error
	own      bool
	options  memory.Options // what bounds the tools
}

func (p *place) Entries(context.Context) (memory.Entries, error) { return p.entries, p.missing }
func (p *place) Files(context.Context) (memory.Files, error)     { return p.sessions, p.missing }

func newPlace(t testing.TB) *place {
	t.Helper()
	return newPlaceWith(t, entries.Options{})
}

func newPlaceWith(t testing.TB, o entries.Options) *place {
	t.Helper()
	s, err := store.Open("store", store.Options{FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, data: t.TempDir()}
	if p.entries, err = entries.Open(s, o); err != nil {
		t.Fatal(err)
	}
	if p.sessions, err = session.Open(p.data, s, func() time.Time { return time.UnixMilli(0) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.entries.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *place) file(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.data, session.Folder, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) store(id, in, summary string) {
	p.t.Helper()
	if err := p.entries.Store(context.Background(), fsm.Entry{ID: id, Session: in, Summary: summary, At: 86400_000}); err != nil {
		p.t.Fatal(err)
	}
}

// run calls a tool as the runner does.
func (p *place) run(name, args string) fsm.ToolAnswered {
	p.t.Helper()
	o := p.options
	o.Offered, o.Place, o.Own, o.ResultBytesMax = memory.Names(), p, p.own, tool.ResultBytesLeast
	added, err := memory.Tools(o)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := tool.New(tool.Options{Workspace: p.t.TempDir(), ResultBytesMax: tool.ResultBytesLeast, Added: added})
	if err != nil {
		p.t.Fatal(err)
	}
	return r.Run(context.Background(), fsm.RunTool{Name: name, Args: args, Session: "s", Key: "h1." + args})
}

// want fails the test unless a call is answered with a text.
func (p *place) want(name, args, text string) {
	p.t.Helper()
	if got := p.run(name, args); got.Failed || got.Text != text {
		p.t.Errorf("%s %s: failed %v, %q; want %q", name, args, got.Failed, got.Text, text)
	}
}

func (p *place) refused(name, args, text string) {
	p.t.Helper()
	if got := p.run(name, args); !got.Failed || !got.Nothing || !strings.Contains(got.Text, text) {
		p.t.Errorf("%s %s: %+v; want a refusal with %q", name, args, got, text)
	}
}

func TestMEM13AllThatIsRememberedIsSearched(t *testing.T) {
	p := newPlace(t)
	p.want("memory_search", `{"query": "disk"}`, "Nothing in memory is about this: disk. Try other words, or fewer.")
	p.file("MEMORY.md", "Ann likes tea.\nThe backup disk is sdb.\n")
	p.file("HISTORY.md", "[2026-01-05 09:00] The disk was full.\n\n[2026-01-06 09:00] A backup of the disks was made.\n\n[2026-01-07 09:00] 磁盘已满\n")
	p.store("h7", "cli:direct", "The disk was cleaned up.")
	p.store("h8", "s", "Ann's birthday is in May.")
	p.want("memory_search", `{"query": "backup disk"}`, "MEMORY.md:2: The backup disk is sdb.\n"+
		"HISTORY.md:3: [2026-01-06 09:00] A backup of the disks was made.\n"+
		"HISTORY.md:1: [2026-01-05 09:00] The disk was full.\n"+
		"[1970-01-02 00:00, cli:direct] The disk was cleaned up.\n")
	p.refused("memory_search", `{"query": "`+strings.Repeat("x", 2000)+`"}`, "2000 bytes and the most is 1024")
	p.want("memory_search", `{"query": "磁盘"}`, "HISTORY.md:5: [2026-01-07 09:00] 磁盘已满\n")
	p.want("memory_search", `{"query": "] the"}`, "HISTORY.md:1: [2026-01-05 09:00] The disk was full.\n")
	p.refused("memory_search", `{"query": " "}`, "query is empty")
	p.refused("memory_search", `{"q": "x"}`, "query")
	p.own = true // MEM-6
	p.want("memory_search", `{"query": "birthday cleaned"}`, "[1970-01-02 00:00, s] Ann's birthday is in May.\n")
	p.missing = errors.New("the store is gone")
	p.refused("memory_search", `{"query": "x"}`, "the store is gone")
}

// embedder gives every text about animals the same vector, and a text with "slow" none.
type embedder struct{ asked []string }

func (e *embedder) Embed(ctx context.Context, text string) ([]byte, string, error) {
	e.asked = append(e.asked, text)
	switch {
	case text == "slow":
		<-ctx.Done()
		return nil, "", ctx.Err()
	case strings.Contains(text, "cat") || strings.Contains(text, "pets"):
		return []byte{0, 0, 128, 63, 0, 0, 0, 0}, "m", nil // 1, 0
	default:
		return []byte{0, 0, 0, 0, 0, 0, 128, 63}, "m", nil // 0, 1
	}
}

func TestMEM13EntriesAreFoundByMeaningToo(t *testing.T) {
	e, apart := &embedder{}, false
	p := newPlaceWith(t, entries.Options{Embedder: e, Apart: func() bool { return apart }})
	vector, model, _ := e.Embed(t.Context(), "cat")
	for _, one := range []fsm.Entry{{ID: "h1", Summary: "Ann has a cat.", Vector: vector, Model: model}, {ID: "h2", Summary: "The disk is slow."}} {
		if err := p.entries.Store(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	p.want("memory_search", `{"query": "pets"}`, "[1970-01-01 00:00] Ann has a cat.\n")
	p.options.EmbedWithin = time.Nanosecond // MEM-4
	p.want("memory_search", `{"query": "slow"}`, "[1970-01-01 00:00] The disk is slow.\n")
	p.options.EmbedWithin = 0
	for _, c := range []struct {
		spare, apart bool
		found        string
	}{
		{true, true, "Nothing in memory is about this: pets. Try other words, or fewer."}, // MEM-11
		{true, false, "[1970-01-01 00:00] Ann has a cat.\n"},
		{false, true, "[1970-01-01 00:00] Ann has a cat.\n"},
	} {
		p.options.Spare, apart, e.asked = c.spare, c.apart, nil
		p.want("memory_search", `{"query": "pets"}`, c.found)
		if (len(e.asked) == 0) != (c.spare && c.apart) {
			t.Errorf("spare %v, apart %v: embedded %q", c.spare, c.apart, e.asked)
		}
	}
}

// A HISTORY.md that takes too long is not searched to its end, and the result says so.
func TestMEM13ASearchEndsInTime(t *testing.T) {
	p := newPlace(t)
	p.options.ReadWithin = time.Nanosecond
	p.file("MEMORY.md", "The backup disk is sdb.\n")
	p.file("HISTORY.md", "[2026-01-05 09:00] The disk was full.\n")
	p.want("memory_search", `{"query": "disk"}`, "MEMORY.md:1: The backup disk is sdb.\n\n[HISTORY.md takes long: only its first 0 lines were searched]\n")
}

// Results that do not fit are counted, not cut in the middle.
func TestMEM13ALongResultSaysHowMuchMoreThereIs(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "%d disk %s\n", i, strings.Repeat("long ", 60))
	}
	p.file("HISTORY.md", b.String())
	got := p.run("memory_search", `{"query": "disk"}`)
	if lines := strings.Split(got.Text, "\n"); len(got.Text) > tool.ResultBytesLeast || !strings.HasPrefix(lines[0], "HISTORY.md:100: 99 disk") ||
		!strings.HasSuffix(got.Text, " more were found; be more exact]\n") {
		t.Errorf("%d bytes: %s", len(got.Text), got.Text)
	}
	p.file("HISTORY.md", "disk "+strings.Repeat("é", 2000))
	if got := p.run("memory_search", `{"query": "disk"}`); !strings.Contains(got.Text, "éé") || len(got.Text) > tool.ResultBytesLeast {
		t.Errorf("got %q; want with %q, a length of at most 1024", got.Text, "éé")
	}
}

// The last lines of a log are its newest, also if not all that were asked for fit.
func TestMEM14TheLastLinesAreThoseThatFit(t *testing.T) {
	p := newPlace(t)
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%d %s\n", i+1, strings.Repeat("x", 500))
	}
	p.file("HISTORY.md", b.String())
	got := p.run("memory_read", `{"file": "HISTORY.md"}`).Text
	var first int
	_, err := fmt.Sscanf(got, "[from line %d]\n", &first)
	if want := b.String()[strings.Index(b.String(), fmt.Sprintf("\n%d x", first))+1:]; err != nil || first < 110 || got != fmt.Sprintf("[from line %d]\n", first)+want {
		t.Errorf("%v, from line %d, … %.80q", err, first, got[max(0, len(got)-80):])
	}
}

func TestMEM14TheFilesAreReadInPages(t *testing.T) {
	p := newPlace(t)
	p.want("memory_read", `{}`, "MEMORY.md is empty.")
	p.want("memory_read", `{"file": "HISTORY.md"}`, "HISTORY.md is empty.")
	p.file("MEMORY.md", "a\nb\nc\n<!-- shelly turn 4KQ2XWZA h12 -->\n")
	p.want("memory_read", `{}`, "a\nb\nc\n")
	p.want("memory_read", `{"limit": 2}`, "a\nb\n[more follows: offset 3]\n")
	p.want("memory_read", `{"offset": 3, "limit": 2}`, "[from line 3]\nc\n")
	p.want("memory_read", `{"file": "", "offset": 0, "limit": 0}`, "a\nb\nc\n")
	p.refused("memory_read", `{"offset": 9}`, "MEMORY.md has 3 lines; offset is 9")
	p.refused("memory_read", `{"file": "../access.json"}`, "file")
	p.file("MEMORY.md", "a\nb\n") // as an editor leaves it
	p.want("memory_read", `{"limit": 2}`, "a\nb\n")
	p.refused("memory_read", `{"offset": 3}`, "MEMORY.md has 2 lines; offset is 3")
	p.file("HISTORY.md", "one\n<!-- shelly turn 4KQ2XWZA h12 -->\n\ntwo\n<!-- shelly turn 4KQ2XWZA h13 -->\n")
	p.want("memory_read", `{"file": "HISTORY.md", "limit": 2}`, "[from line 2]\n\ntwo\n")
	p.want("memory_read", `{"file": "HISTORY.md", "offset": 0, "limit": 2}`, "[from line 2]\n\ntwo\n")
	p.want("memory_read", `{"file": "HISTORY.md", "offset": 1, "limit": 1}`, "one\n[more follows: offset 2]\n")
	p.file("MEMORY.md", strings.Repeat(strings.Repeat("x", 99)+"\n", 30))
	if got := p.run("memory_read", `{}`); !strings.HasSuffix(got.Text, "\n[more follows: offset 8]\n") || len(got.Text) > tool.ResultBytesLeast {
		t.Errorf("%d bytes: %q", len(got.Text), got.Text)
	}
}

func TestMEM15WhatIsWrittenIsRead(t *testing.T) {
	p := newPlace(t)
	p.want("memory_write", `{"text": "Ann likes tea."}`, "wrote MEMORY.md (14 bytes, before 0)")
	p.want("memory_write", `{"text": "Ann likes tea."}`, "MEMORY.md has it already.") // the same call
	p.want("memory_write", `{"text": "coffee", "old": "tea"}`, "wrote MEMORY.md (17 bytes, before 14)")
	p.want("memory_read", `{}`, "Ann likes coffee.\n")
	p.want("memory_write", `{"text": "We talked.", "file": "HISTORY.md"}`, "added to HISTORY.md")
	p.want("memory_search", `{"query": "talked"}`, "HISTORY.md:1: [1970-01-01 00:00] We talked.\n")
	p.refused("memory_write", `{"text": "x", "old": "tea"}`, "old is not in MEMORY.md, word for word; nothing was written. Read it with memory_read")
	p.refused("memory_write", `{"text": "x", "old": "e"}`, "more than once")
	p.refused("memory_write", `{"text": "x", "old": "We", "file": "HISTORY.md"}`, "only added to")
	p.refused("memory_write", `{"text": " "}`, "text is empty")
	p.refused("memory_write", `{"text": "`+strings.Repeat("x", 1<<20)+`"}`, "MEMORY.md is full")
	p.want("memory_read", `{}`, "Ann likes coffee.\n")
}

func TestMEM12OnlyWhatIsNamedIsOffered(t *testing.T) {
	added, err := memory.Tools(memory.Options{Offered: []string{"memory_read"}})
	if err != nil || len(added) != 1 || added[0].Decl.Name != "memory_read" {
		t.Errorf("got %+v, %v; want 1 of them, [0].Decl.Name %q", added, err, "memory_read")
	}
	if _, err := memory.Tools(memory.Options{Offered: []string{"memory_grep"}}); err == nil || !strings.Contains(err.Error(), "there are: memory_search, memory_read, memory_write") {
		t.Error(err)
	}
}
