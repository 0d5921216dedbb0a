package grants

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/grant"
)

func call(like string) fsm.Grant {
	return fsm.Grant{Tool: "exec", Match: []fsm.ArgMatch{{Argument: "command", Like: like}}, By: "ann", At: 1767603600000}
}

// file returns a file with a text, or without one.
func file(t *testing.T, text string) File {
	t.Helper()
	f := Of(t.TempDir())
	if text != "" {
		if err := os.WriteFile(f.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func text(t *testing.T, f File) string {
	t.Helper()
	b, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAPR14WhatIsWrittenIsReadAgain(t *testing.T) {
	f := file(t, "")
	if list, err := f.Load(); err != nil || list != nil {
		t.Fatalf("got %v, %v; want nil", list, err)
	}
	want := []fsm.Grant{
		call("make"), call(`rm \*`), call("a: b # c"), call("two\nlines\twith \"quotes\" 日本"), {Tool: "write_file", Any: true},
		{Tool: "look", Match: nil, By: "x: y"}, call("'"), call(""), call("- x"), call("true"), call("12"),
	}
	for _, g := range want {
		if _, err := f.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Load()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v\n%s\n%s", err, diff, text(t, f))
	}
	info, err := os.Stat(f.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want Perm() 0o600", info.Mode(), err)
	}
	for i := range want {
		if was, err := f.Remove(grant.ID(&want[i])); !was || err != nil {
			t.Fatalf("%+v: got %t, %v; want was true", want[i], was, err)
		}
		if got, err := f.Load(); err != nil || !same(got, want[i+1:]) {
			t.Fatalf("got %v, %v; want %v", got, err, want[i+1:])
		}
	}
	if was, err := f.Remove("g1"); was || err != nil {
		t.Errorf("got %t, %v; want was false", was, err)
	}
}

func TestAPR14WhatAPersonHasWrittenStays(t *testing.T) {
	mine := "# mine\napprovals:\n# the build\n- tool: exec\n  match: {command: \"make *\"} # all of it\n- {tool: look, any: true}\n"
	f := file(t, mine)
	if _, err := f.Add(call("git push")); err != nil {
		t.Fatal(err)
	}
	if got := text(t, f); !strings.HasPrefix(got, mine) || !strings.Contains(got, "git push") {
		t.Errorf("it is now\n%s", got)
	}
	look := fsm.Grant{Tool: "look", Any: true}
	if was, err := f.Remove(grant.ID(&look)); !was || err != nil {
		t.Fatalf("got %t, %v; want true", was, err)
	}
	if got := text(t, f); strings.Contains(got, "look") || !strings.Contains(got, "all of it") || !strings.Contains(got, "git push") {
		t.Errorf("it is now\n%s", got)
	}
	for _, flow := range []string{"approvals: [{tool: look, any: true}]\n", "# only\napprovals: []\n", "approvals:\n", "# nothing\n"} {
		f := file(t, flow)
		before, err := f.Load()
		if err != nil {
			t.Fatalf("%q: got %v; want no error", flow, err)
		}
		if _, err := f.Add(call("git push")); err != nil {
			t.Fatalf("%q: got %v; want no error", flow, err)
		}
		if got, err := f.Load(); err != nil || len(got) != len(before)+1 {
			t.Errorf("%q: got %v, %v; want %d of them", flow, got, err, len(before)+1)
		}
	}
}

// A comment above an entry is about that one, whatever becomes of the one before; what stands below the last one
// may be about anything.
func TestAPR14CommentsOutliveTheEntryBeforeThem(t *testing.T) {
	f := file(t, "approvals:\n- tool: look\n  # every call\n  any: true\n\n# the build\n- tool: make\n  any: true\n# the end\n")
	for _, c := range []struct{ tool, want string }{
		{"look", "approvals:\n\n# the build\n- tool: make\n  any: true\n# the end\n"},
		{"make", "approvals:\n\n# the build\n# the end\n"},
	} {
		g := fsm.Grant{Tool: c.tool, Any: true}
		if was, err := f.Remove(grant.ID(&g)); !was || err != nil || text(t, f) != c.want {
			t.Errorf("%s: %t, %v, and the file is\n%s", c.tool, was, err, text(t, f))
		}
	}
	if _, err := f.Add(call("git push")); err != nil || !strings.Contains(text(t, f), "# the build\n") {
		t.Errorf("%v:\n%s", err, text(t, f))
	}
}

func TestAPR14ADamagedFileIsAnErrorThatNamesTheLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"approvals:\n- tool: exec\n", ":2: approvals[0]: give match"},
		{"approvals:\n- {tool: exec, any: true, match: {a: b}}\n", "exclude each other"},
		{"approvals:\n- {tool: exec, mach: {a: b}}\n", "mach"},
		{"approvals: {", ":2: "},
		{"approve:\n- {tool: exec, any: true}\n", "approve"},
		{"approvals:\n- {tool: exec, any: true, at: soon}\n", "a time such as"},
		{"- tool: exec\n", ":1: "},
	} {
		f := file(t, tt.text)
		if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), filepath.Base(f.path)) {
			t.Errorf("%q: got %v; want %q, with %q", tt.text, err, tt.want, filepath.Base(f.path))
		}
		if _, err := f.Add(call("x")); err == nil {
			t.Errorf("%q: it was written", tt.text)
		}
		if _, err := f.Remove("g1"); err == nil {
			t.Errorf("%q: it was written", tt.text)
		}
		if got := text(t, f); got != tt.text {
			t.Errorf("%q has become %q", tt.text, got)
		}
	}
}

func TestAPR18TheFileIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("approvals:\n")
	for range Max {
		b.WriteString("- {tool: t, any: true}\n")
	}
	f := file(t, b.String())
	if _, err := f.Add(call("x")); err == nil || !strings.Contains(err.Error(), "take some back") {
		t.Error(err)
	}
	f = file(t, b.String()+"- {tool: u, any: true}\n")
	if _, err := f.Load(); err == nil || !strings.Contains(err.Error(), "the most is 1000") {
		t.Error(err)
	}
}
