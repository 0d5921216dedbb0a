package file

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// session returns what calls the tools for a session.
func session(t *testing.T, r *tool.Runner, name string) func(tool, args string) string {
	return func(tool, args string) string {
		return r.Run(guard(t), fsm.RunTool{Name: tool, Args: args, Session: name, Key: name + args + time.Now().String()}).Text
	}
}

func TestTOL101NothingIsWrittenOverWhatASessionHasNotSeen(t *testing.T) {
	w := newWorld(t)
	r := w.runner()
	ann, bob := session(t, r, "ann"), session(t, r, "bob")
	const refused = "notes.txt has changed since you have read or written it"
	write := func(text string) string { return `{"path":"notes.txt","content":"` + text + `"}` }
	notes := filepath.Join(w.workspace, "notes.txt")
	saved := time.Now()
	person := func(text string) {
		t.Helper()
		w.must(os.WriteFile(notes, []byte(text), 0o644))
		saved = saved.Add(time.Minute)
		w.must(os.Chtimes(notes, saved, saved))
	}
	touch := func() {
		t.Helper()
		saved = saved.Add(time.Minute)
		w.must(os.Chtimes(notes, saved, saved))
	}
	is := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(notes); err != nil || string(got) != want {
			t.Errorf("the file holds %q, %v; want %q", got, err, want)
		}
	}
	for _, step := range []struct {
		what string
		do   func() string
		says string
		file string
	}{
		{"not read here", func() string { return ann("write_file", write("1")) }, "wrote notes.txt", "1"},
		{"as it was written", func() string { return ann("write_file", write("2")) }, "wrote notes.txt", "2"},
		{"a person has changed it", func() string { person("p"); return ann("write_file", write("3")) }, refused, "p"},
		{"once more", func() string { return ann("write_file", write("3")) }, refused, "p"},
		{"read again", func() string {
			ann("read_file", `{"path":"./notes.txt","limit":1}`)
			return ann("write_file", write("4"))
		}, "wrote notes.txt", "4"},
		{"another session has changed it", func() string {
			bob("edit_file", `{"path":"notes.txt","old":"4","new":"five"}`)
			return ann("write_file", write("6"))
		}, refused, "five"},
		{"but not that one", func() string { return bob("write_file", write("6")) }, "wrote notes.txt", "6"},
		{"an edit finds its text", func() string { return ann("edit_file", `{"path":"notes.txt","old":"6","new":"7"}`) }, "wrote notes.txt", "7"},
		{"but has not seen the rest", func() string { return ann("write_file", write("8")) }, refused, "7"},
		{"nor has a read of a later part", func() string {
			person("1\n2")
			ann("read_file", `{"path":"notes.txt","offset":2}`)
			return ann("write_file", write("8"))
		}, refused, "1\n2"},
		{"nor one that fails", func() string {
			ann("read_file", `{"path":"notes.txt","column":9}`)
			return ann("write_file", write("8"))
		}, refused, "1\n2"},
		{"read from its first line", func() string {
			ann("read_file", `{"path":"notes.txt"}`)
			ann("read_file", `{"path":"notes.txt","offset":2}`)
			return ann("write_file", write("8"))
		}, "wrote notes.txt", "8"},
		{"an edit of what it has seen", func() string {
			ann("edit_file", `{"path":"notes.txt","old":"8","new":"88"}`)
			return ann("write_file", write("9"))
		}, "wrote notes.txt", "9"},
		{"what is there already", func() string { person("q"); return ann("write_file", write("q")) }, "notes.txt holds exactly that", "q"},
		{"is what was to be written", func() string { return ann("write_file", write("r")) }, "wrote notes.txt", "r"},
		{"touched", func() string { touch(); return ann("write_file", write("s")) }, "wrote notes.txt", "s"},
		{"touched after a read", func() string {
			ann("read_file", `{"path":"notes.txt"}`)
			touch()
			return ann("write_file", write("t"))
		}, "wrote notes.txt", "t"},
		{"touched after an edit", func() string {
			touch()
			ann("edit_file", `{"path":"notes.txt","old":"t","new":"tt"}`)
			touch()
			return ann("write_file", write("u"))
		}, "wrote notes.txt", "u"},
		{"touched before a later part was read", func() string {
			touch()
			ann("read_file", `{"path":"notes.txt","offset":2}`)
			return ann("write_file", write("v"))
		}, "wrote notes.txt", "v"},
		{"changed and put back", func() string { person("x"); person("v"); return ann("write_file", write("w")) }, "wrote notes.txt", "w"},
		{"changed, but neither its time nor its size", func() string {
			info, err := os.Stat(notes)
			w.must(err)
			person("x")
			w.must(os.Chtimes(notes, info.ModTime(), info.ModTime()))
			return ann("write_file", write("y"))
		}, refused, "x"},
		{"read again after that", func() string { ann("read_file", `{"path":"notes.txt"}`); return ann("write_file", write("z")) }, "wrote notes.txt", "z"},
		{"it was removed", func() string { w.must(os.Remove(notes)); return ann("write_file", write("9")) }, "created notes.txt", "9"},
	} {
		if got := step.do(); !strings.HasPrefix(strings.TrimPrefix(got, "error: "), step.says) {
			t.Errorf("%s: %s; want %s", step.what, got, step.says)
		}
		is(step.file)
	}
}

// Subagents have no session, and each a conversation of its own.
func TestTOL101EachSubagentHasSeenWhatItHasSeenItself(t *testing.T) {
	w := newWorld(t)
	r := w.runner()
	call := func(h fsm.HandleID, tool, args string) string {
		return r.Run(guard(t), fsm.RunTool{Asked: fsm.Asked{Handle: h}, Name: tool, Args: args, Key: strconv.Itoa(int(h)) + tool + args}).Text
	}
	call(1, "read_file", `{"path":"notes.txt"}`)
	call(2, "read_file", `{"path":"notes.txt"}`)
	for h, want := range []string{1: "wrote notes.txt", 2: "notes.txt has changed since you have read or written it", 3: "wrote notes.txt"} {
		if h == 0 {
			continue
		}
		args := `{"path":"notes.txt","content":"of the subagent ` + strconv.Itoa(h) + `, at length"}`
		if got := call(fsm.HandleID(h), "write_file", args); !strings.HasPrefix(strings.TrimPrefix(got, "error: "), want) {
			t.Errorf("subagent %d: %s; want %s", h, got, want)
		}
	}
}

// What somebody puts there as soon as a session has written is not what the session has written.
func TestTOL101WhatFollowsAWriteAtOnceIsNotSeen(t *testing.T) {
	w := newWorld(t)
	notes := filepath.Join(w.workspace, "notes.txt")
	w.must(os.WriteFile(notes, []byte("old"), 0o644))
	p, err := w.tools().place(guard(t), "notes.txt")
	w.must(err)
	defer p.close()
	if _, err := p.replace(".shelly-x.tmp", []byte("mine")); err != nil {
		t.Fatal(err)
	}
	w.must(os.WriteFile(notes, []byte("theirs"), 0o644))
	now, err := os.Lstat(notes)
	w.must(err)
	if (version{info: now}).same(version{info: p.made}) {
		t.Error("it counts as what the session has written")
	}
}

// What is remembered is bounded, and a file that is forgotten is written.
func TestTOL101WhatIsRememberedIsBounded(t *testing.T) {
	info, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var s seen
	for i := range 3 * sightingsMax {
		s.note("s", strconv.Itoa(i), version{info: info})
	}
	if len(s.files) != sightingsMax {
		t.Errorf("%d files are remembered", len(s.files))
	}
	if is := (version{info: info}); s.changed("s", "another", is) || s.changed("s", strconv.Itoa(3*sightingsMax-1), is) {
		t.Error("what is as it was, or not known, counts as changed")
	}
}

// Of a long file the size and the time count, as of one that changes while it is read.
func TestTOL101ALongFileIsNotReadForWhatItHolds(t *testing.T) {
	w := newWorld(t)
	for name, size := range map[string]int{"short": hashedMax, "long": hashedMax + 1, "empty": 0} { // order-free: each alone
		w.write(name, strings.Repeat("x", size))
		f, err := w.tools().open(guard(t), name)
		w.must(err)
		defer f.Close()
		if got := f.version().hash != ""; got != (name != "long") {
			t.Errorf("%s: whether it has a hash is %t", name, got)
		}
		w.write(name, strings.Repeat("y", size+1))
		if f.version().hash != "" {
			t.Errorf("%s: what it holds now has a hash", name)
		}
	}
}
