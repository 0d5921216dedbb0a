package scenario

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
	"shelly/sim/strict"
)

// nestedMaps is n maps within each other, by indentation.
func nestedMaps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestSCN19LimitsHold(t *testing.T) {
	head := "scenario: 1\nname: x\nexpect: {ends: serving}\n"
	large := strings.Repeat("x", 1<<19)
	many := func(text string, n int) string { return "[" + strings.Repeat(text+", ", n) + "]" }
	tests := []struct{ name, yaml, want string }{
		{"one line of fifty megabytes", strings.Repeat("x", 50_000_000), "x/x.scenario.yaml: is too large; the limit is 4096 KiB"},
		{"ten thousand nested lists", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), "nested too deep; the limit is 40"},
		{"ten thousand nested maps", strings.Repeat("{a: ", 10_000) + strings.Repeat("}", 10_000), "nested too deep; the limit is 40"},
		{"ten thousand lists that none ends", strings.Repeat("[", 10_000), "unclosed [ or {"},
		{"ten thousand nested entries", head + "brain: [{sees: {last: \n    " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}}]\n", "nested too deep; the limit is 40"},
		{"a thousand maps nested by indentation", nestedMaps(1000), "nested too deep; the limit is 40"},
		{"a hundred maps nested by indentation", head + "never:\n  - " + strings.ReplaceAll(nestedMaps(100), "\n", "\n    ") + "\n", "nested too deep; the limit is 40"},
		{"a file full of dashes", strings.Repeat("- ", strict.FileBytesMax/2), "nested too deep; the limit is 40"},
		{"a file full of question marks", strings.Repeat("? ", strict.FileBytesMax/2), "nested too deep; the limit is 40"},
		{"a map of ten thousand keys", head + manyKeys(10_000), "and 9950 more problems"},
		{"values by aliases", head + "memory_file: a\nnever: [{args: {$one_of: &a " + many("1", 200) + "}}, {args: {$one_of: " + many("{$one_of: *a}", 120) + "}}]\n", "too many values, aliases and variables written out; the limit is 20000"},
		{"values by variables", head + "vars: {a: " + many("1", 200) + "}\nnever: [{args: {$one_of: " + many(`{$one_of: "${a}"}`, 120) + "}}]\n", "too many values, aliases and variables written out; the limit is 20000"},
		{"text by aliases", head + "brain: [{calls: [{tool: a, args: {a: &a " + large + ", b: " + many("*a", 20) + "}}]}]\n", "too much text, aliases and variables written out; the limit is 4 MiB"},
		{"keys by aliases", head + "brain: [{calls: [{tool: a, args: {a: &a {" + large[:100_000] + ": 1}, b: " + many("*a", 50) + "}}]}]\n", "too much text, aliases and variables written out"},
		{"text by variables", head + "vars: {a: " + large + "}\nmemory_file: " + strings.Repeat("${a}", 20) + "\n", "memory_file: too much text, aliases and variables written out"},
		{"text by variables in many texts", head + "vars: {a: " + large + "}\ncovers: " + many("'x${a}'", 20) + "\n", "too much text, aliases and variables written out"},
		{"values of all cases", head + "matrix: {a: " + "[" + numbers(1000) + "}\ncovers: " + many("INF-1", 1200) + "\n", ":4:1: matrix: the cases together have too many values, or too much text; the limits are 1000000 and 64 MiB"},
		{"text of all cases", head + "matrix: {a: [" + numbers(100) + "}\nmemory_file: " + large + large[:400_000] + "\n", ":4:1: matrix: the cases together have too many values, or too much text"},
		{"files", head + "include: " + many("a.yaml", document.IncludesMax+1) + "\n", ":4:10: include: includes 17 files; the limit is 16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := problemsOf(t, folder(map[string]string{"x/x.scenario.yaml": test.yaml}))
			if !strings.Contains(got, test.want) {
				t.Errorf("error %.2000s, want %s", got, test.want)
			}
		})
	}
}

// A replay has the histories of all requests between its first record and its last, literally.
func TestSCN19AReplayHasAsManyValuesAsAnExportWrites(t *testing.T) {
	replay := func(messages int) map[string]string {
		inputs := "  - {at: 1s, input: {kind: session_loaded, call: 1, session: {history: [" + strings.Repeat(`{role: user, text: a, source: [person]}, `, messages) + "]}}}\n"
		return map[string]string{"x/x.scenario.yaml": "scenario: 1\nname: x\nreplay:\n  - input: {kind: boot, config: {init: \"off\"}}\n" + inputs + "hash: f46ffd5711eb8697\nexpect: {ends: serving}\n"}
	}
	if _, err := Load(folder(replay(document.ReplayNodesMax/10)), "x/x.scenario.yaml"); err != nil {
		t.Errorf("a long replay: %.500s", err)
	}
	if got := problemsOf(t, folder(replay(document.ReplayNodesMax/5))); !strings.Contains(got, "too many values, aliases and variables written out; the limit is 250000") {
		t.Errorf("a replay that is too long: %.500s", got)
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}

// numbers closes a list with n numbers.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d, ", i)
	}
	return b.String() + "]"
}

func TestSCN19SixteenFragmentsOfTheLargestSizeAreRead(t *testing.T) {
	fsys := fstest.MapFS{}
	list := ""
	for i := range document.IncludesMax {
		name := fmt.Sprintf("p%d.yaml", i)
		text := fmt.Sprintf("tags: [t%d]\n#", i)
		fsys["x/"+name] = &fstest.MapFile{Data: []byte(text + strings.Repeat("x", strict.FileBytesMax-len(text)))}
		list += name + ", "
	}
	fsys["x/x.scenario.yaml"] = &fstest.MapFile{Data: []byte("scenario: 1\nname: x\nexpect: {ends: serving}\ninclude: [" + list + "]\n")}
	f, err := LoadOne(fsys, "x/x.scenario.yaml")
	if err != nil || len(f.Tags) != document.IncludesMax {
		t.Errorf("%v, error %v", f, err)
	}
}

func TestSCN19ARunTakesSoManyFiles(t *testing.T) {
	targets := make([]choose.Target, choose.FilesMax+1)
	for i := range targets {
		targets[i].Path = fmt.Sprint(i)
	}
	if _, err := choose.Join(targets); err == nil || !strings.Contains(err.Error(), "names 10001 scenario files; the limit of a run is 10000") {
		t.Errorf("error %v", err)
	}
	if list, err := choose.Join(targets[1:]); err != nil || len(list) != choose.FilesMax {
		t.Errorf("%d files, error %v", len(list), err)
	}
}

// blocking is a file system in which opening a file never ends.
type blocking struct{ fstest.MapFS }

func (blocking) Open(string) (fs.File, error) { panic("opened") }

func TestSCN19WhatIsNotAFileIsNotOpened(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeDir: "is a directory", fs.ModeNamedPipe: "is a FIFO", fs.ModeDevice: "is a device",
		fs.ModeSocket: "is a socket", fs.ModeIrregular: "is not a regular file",
	} {
		fsys := blocking{fstest.MapFS{"x/x.scenario.yaml": {Mode: mode}}}
		if got := problemsOf(t, fsys); !strings.HasPrefix(got, "x/x.scenario.yaml: "+want) {
			t.Errorf("%v: error %s, want %s", mode, got, want)
		}
	}
}
