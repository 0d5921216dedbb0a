package scenario

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim"
	"shelly/sim/scenario/casetest"
	"shelly/sim/strict"
)

// folder is a file system of texts.
func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// problemsOf loads x/x.scenario.yaml and returns what is wrong with it.
func problemsOf(t *testing.T, fsys fs.FS) string {
	t.Helper()
	_, err := Load(fsys, "x/x.scenario.yaml")
	var load *strict.Error
	if !errors.As(err, &load) {
		t.Fatalf("error %v, want a strict.Error", err)
	}
	return err.Error()
}

func TestSCN16AFragmentsKeysAreTheScenarios(t *testing.T) {
	fsys := folder(map[string]string{
		"x/parts/one.yaml": `
covers: [INF-1]
tags: [one]
config: {max_queue: 1, max_tool_rounds: 2}
tools:
  a: [{returns: "one"}]
  b: [{returns: "one"}]
brain: [{says: "one"}]
never: [{tool: a}]
strict: true
`,
		"x/two.yaml": `
covers: [INF-2]
config: {max_tool_rounds: 3}
tools:
  a: [{returns: "two"}]
  c: [{returns: "two"}]
memory_file: two
`,
		"x/x.scenario.yaml": `scenario: 1
name: x
include: [parts/one.yaml, two.yaml]
covers: [INF-3]
tools:
  c: [{returns: "own"}]
  d: [{returns: "own"}]
brain: [{says: "own"}]
expect: {ends: serving}
`,
	})
	f, err := LoadOne(fsys, "x/x.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tools []string
	for _, tool := range f.Tools.Stubs {
		tools = append(tools, tool.Name+" "+*tool.Value[0].Returns)
	}
	for _, test := range []struct {
		what string
		got  []string
		want []string
	}{
		{"lists are joined", f.Covers, []string{"INF-1", "INF-2", "INF-3"}},
		{"a list of one file", f.Tags, []string{"one"}},
		{"the scenario's members come first", tools, []string{"c own", "d own", "a two", "b one"}},
		{"the script is the scenario's", []string{*f.Script.Lines[0].Says}, []string{"own"}},
		{"what is in a fragment alone", []string{f.MemoryMD, f.Never[0].That.String()}, []string{"two", `{tool: "a"}`}},
		{"the files", f.Includes(), []string{"x/parts/one.yaml", "x/two.yaml"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %q, want %q", test.what, test.got, test.want)
		}
	}
	if len(f.Script.Lines) != 1 || !f.Strict {
		t.Errorf("%d lines, strict %v", len(f.Script.Lines), f.Strict)
	}
	if c := f.Plan().Config; c.Limits.MaxQueue != 1 || c.Limits.MaxToolRounds != 3 {
		t.Errorf("limits %+v: the later fragment has the last word", c.Limits)
	}
	if at := f.Where("tools.a"); at.File != "x/two.yaml" || at.Line != 5 {
		t.Errorf("place of a tool of a fragment: %+v", at)
	}
}

func TestSCN16WhatIsNotAFragment(t *testing.T) {
	const rest = "scenario: 1\nname: x\nexpect: {ends: serving}\ninclude: "
	fsys := folder(map[string]string{
		"above.yaml":            "tags: [a]\n",
		"x/good.yaml":           "tags: [a]\n",
		"x/list.yaml":           "- a\n",
		"x/empty.yaml":          "# nothing\n",
		"x/broken.yaml":         "tags: [a\n",
		"x/typo.yaml":           "\ntagz: [a]\n",
		"x/twice.yaml":          "tags: [a]\nskills: []\ntags: [b]\n",
		"x/inner.yaml":          "about: {name: a, user: b, name: c}\n",
		"x/name.yaml":           "name: y\nscenario: 1\nmatrix: {a: [1]}\n",
		"x/deeper.yaml":         "include: good.yaml\n",
		"x/a.yaml":              "include: b.yaml\n",
		"x/b.yaml":              "include: [sub/c.yaml]\n",
		"x/sub/c.yaml":          "include: ../a.yaml\n",
		"x/back.yaml":           "include: x.scenario.yaml\n",
		"x/self.yaml":           "include: self.yaml\n",
		"x/other.scenario.yaml": rest + "good.yaml\n",
		"x/large.yaml":          strings.Repeat("#", strict.FileBytesMax+1),
		"etc/passwd.yaml":       "tags: [secret]\n",
	})
	fsys["x/link.yaml"] = &fstest.MapFile{Data: []byte("good.yaml"), Mode: fs.ModeSymlink}
	fsys["x/out"] = &fstest.MapFile{Data: []byte("../etc"), Mode: fs.ModeSymlink}
	fsys["x/pipe.yaml"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	fsys["x/null.yaml"] = &fstest.MapFile{Mode: fs.ModeDevice}
	for include, want := range map[string]string{
		"5":                        "x.scenario.yaml:4:10: include: wants the path of a file, found the number 5",
		"{a: b}":                   "wants the path of a file, found a map",
		"[]":                       "found an empty list",
		"[good.yaml, 5]":           ":4:22: include[1]: wants the path of a file, found the number 5",
		"[good.yaml, ./good.yaml]": "include[1]: is included already",
		"''":                       "include: is empty",
		"/etc/passwd":              "include: wants a relative path, not /etc/passwd",
		"C:/x.yaml":                "wants a relative path",
		"/dev/zero":                "include: wants a relative path",
		"https://example.com/a":    "include: wants a file path, not the address https://example.com/a",
		`sub\c.yaml`:               `include: wants / between folders, not \`,
		"../above.yaml":            "../above.yaml is outside the scenario's folder",
		"sub/../../above.yaml":     "is outside the scenario's folder",
		"..":                       "is outside the scenario's folder",
		"absent.yaml":              "include: absent.yaml: no such file",
		"parts/absent.yaml":        "include: parts/absent.yaml: there is no folder parts",
		"link.yaml":                "include: link.yaml is a symbolic link",
		"out/passwd.yaml":          "include: out is a symbolic link",
		"sub":                      "include: sub: is a directory, not a file",
		"pipe.yaml":                "include: pipe.yaml: is a FIFO, not a regular file",
		"null.yaml":                "include: null.yaml: is a device, not a regular file",
		"large.yaml":               "include: large.yaml: is too large; the limit is 4096 KiB",
		"${name}.yaml":             "variables are not put into it",
		"other.scenario.yaml":      "the name of a fragment does not end in .scenario.yaml",
		"x.scenario.yaml":          "x/x.scenario.yaml:4:10: include: include cycle: x.scenario.yaml -> x.scenario.yaml",
		"a.yaml":                   "x/x.scenario.yaml:4:10: include: include cycle: a.yaml -> b.yaml -> sub/c.yaml -> a.yaml",
		"back.yaml":                "include cycle: x.scenario.yaml -> back.yaml -> x.scenario.yaml",
		"self.yaml":                "include cycle: self.yaml -> self.yaml",
		"deeper.yaml":              "x/deeper.yaml:1:1: include: a fragment includes nothing",
		"list.yaml":                "x/list.yaml:1:1: a fragment is a map, found a list",
		"empty.yaml":               "x/empty.yaml:1:1: is empty; a fragment is a map",
		"broken.yaml":              "x/broken.yaml:1:7: unclosed [",
		"typo.yaml":                "x/typo.yaml:2:1: tagz: unknown key tagz; did you mean tags?",
		"twice.yaml":               "x/twice.yaml:3:1: tags: already given on line 1",
		"[good.yaml, inner.yaml]":  "x/inner.yaml:1:27: about.name: already given on line 1",
		"name.yaml":                "x/name.yaml:3:1: matrix: belongs to the scenario, not to a fragment",
	} {
		fsys["x/x.scenario.yaml"] = &fstest.MapFile{Data: []byte(rest + include + "\n")}
		if got := problemsOf(t, fsys); !strings.Contains(got, want) {
			t.Errorf("%s: error:\n%s\nwant in it: %s", include, got, want)
		}
	}
}

// What is wrong is shown with the source of the file that it is in, while loading and
// when the case fails.
func TestSCN16PlacesNameTheirFile(t *testing.T) {
	fsys := folder(map[string]string{
		"x/part.yaml":       "brain:\n  - says: hello\n  - sayz: ciao\n",
		"x/want.yaml":       "expect:\n  replies: [bye]\n",
		"x/x.scenario.yaml": "scenario: 1\nname: x\ninclude: part.yaml\nexpect: {ends: serving}\n",
		"x/y.scenario.yaml": "scenario: 1\nname: y\ninclude: want.yaml\nbrain: [{says: hello}]\ntimeline: [{user: hi}]\n",
	})
	_, err := Load(fsys, "x/x.scenario.yaml")
	var load *strict.Error
	if !errors.As(err, &load) || !strings.Contains(load.Detail(), "x/part.yaml:3:5: brain[1].sayz: ") || !strings.Contains(load.Detail(), "     3 |   - sayz: ciao\n") {
		t.Errorf("error %v", err)
	}
	f, err := LoadOne(fsys, "x/y.scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if len(out.Failures) != 1 || !strings.Contains(out.Failures[0].String(), "x/want.yaml:2:13: expect.replies[0]\n     1 | expect:\n     2 |   replies: [bye]\n") {
		t.Errorf("failures: %v", out.Failures)
	}
}

func TestSCN16InMemoryNothingIsIncluded(t *testing.T) {
	_, err := Parse("f.scenario.yaml", []byte(casetest.Valid+"include: a.yaml\n"))
	if err == nil || !strings.Contains(err.Error(), ":12:10: include: a scenario that is not read from a file cannot include one") {
		t.Errorf("error %v", err)
	}
}
