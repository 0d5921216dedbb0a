package scenario

import (
	"strings"
	"testing"
)

// SCN-30: the world of the real tools is the texts of files in the workspace, and the
// tools are known by their names.
func TestSCN30WhatRealToolsCannotHave(t *testing.T) {
	const whole = `scenario: 1
name: a real one
tools: real
world: {notes/a.txt: "x"}
brain: [{says: "y"}]
timeline: [{user: "?"}]
expect: {ends: serving}
`
	for _, test := range []struct{ name, old, new, want string }{
		{"a misspelt word", "tools: real", "tools: reel", "f.scenario.yaml:3:8: tools: unknown word reel; did you mean real?, or give stubs by name"},
		{"a list", "tools: real", "tools: [real]", "tools: wants a map by name, found a list"},
		{"a path that leaves", "notes/a.txt", "../a.txt", "f.scenario.yaml:4:9: world.../a.txt: wants the path of a file in the workspace"},
		{"an absolute path", "notes/a.txt", "/etc/a.txt", "wants the path of a file in the workspace"},
		{"a path that goes about", "notes/a.txt", "notes/../a.txt", "wants the path of a file in the workspace"},
		{"a folder", "notes/a.txt", "notes/", "wants the path of a file in the workspace"},
		{"the workspace", "notes/a.txt", ".", "wants the path of a file in the workspace"},
		{"a NUL", "notes/a.txt", `"a\0b"`, "wants the path of a file in the workspace"},
		{"no text", `"x"`, "1", "world.notes/a.txt: wants the text of the file; other data is for stub tools"},
		{"a file that is a folder", `"x"}`, `"x", notes: "y"}`, "world.notes: and notes/a.txt cannot both be files"},
		{"a folder that is a file", `"x"}`, `"x", notes/a.txt/b: "y"}`, "world.notes/a.txt/b: and notes/a.txt cannot both be files"},
		{"no workspace", "tools: real", "tools: real\nabout: {workspace: here}", "about.workspace: wants an absolute path"},
		{"another tool", "ends: serving", "tools: {read_fil: {starts: 0}}", "unknown tool read_fil; did you mean read_file?"},
		{"a tool of no name", "tools: real", "tools: real\nconfig: {tools: [exec]}", "config.tools[0]: unknown tool exec; allowed: read_file, write_file, edit_file, list_dir, grep, glob"},
		{"a fault of another", "tools: real", "tools: real\nfaults: {tool: {name: list_dirs, hangs: true}}", "unknown tool list_dirs; did you mean list_dir?"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("f.scenario.yaml", []byte(strings.Replace(whole, test.old, test.new, 1)))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v; want %q", err, test.want)
			}
		})
	}
	if _, err := Parse("f.scenario.yaml", []byte(whole)); err != nil {
		t.Error(err)
	}
}
