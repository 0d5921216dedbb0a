package file

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool/file/ignore"
)

// project is a workspace with files that .gitignore leaves out, and files that nobody must see.
func project(t *testing.T) *world {
	w := newWorld(t)
	for path, text := range map[string]string{
		".gitignore":          "build/\n*.log\n!keep.log\n/only-here\n",
		".git/HEAD":           "ref: alpha\n",
		"run.log":             "alpha\n",
		"keep.log":            "alpha kept\n",
		"sub/.gitignore":      "private.*\n",
		"sub/private.txt":     "alpha\n",
		"sub/deep/only-here":  "alpha below\n",
		"only-here":           "alpha\n",
		"state/journal":       "alpha of the agent\n",
		".env":                "ALPHA=alpha\n",
		"src/long.txt":        strings.Repeat("x", 1000) + "alpha" + strings.Repeat("y", 1000) + "\n",
		"src/bin.dat":         "alpha\x00\x01",
		"src/chinese.txt":     encoded(t, gb, "你好，世界。alpha\n"),
		"node/a/b/c/d/e/f/g":  "alpha\n",
		"build/sub/generated": "alpha\n",
	} {
		w.write(path, text)
	}
	w.symlink("sub", "link_in")
	w.options.Private = []string{filepath.Join(w.workspace, "state")}
	return w
}

func TestTOL29GrepFindsLines(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       object
	}{
		{"all", "keep.log\n1: alpha kept\nnode/a/b/c/d/e/f/g\n1: alpha\nnotes.txt\n1: alpha\nsrc/chinese.txt\n1: 你好，世界。alpha\n" +
			"src/long.txt\n1: …" + strings.Repeat("x", 60) + "alpha" + strings.Repeat("y", 175) + "…\nsub/deep/only-here\n1: alpha below\n[not searched, since they may hold secrets: 1]",
			object{"pattern": "alpha"}},
		{"one file", "notes.txt\n2: beta format\n", object{"pattern": "b.t+a", "path": "notes.txt"}},
		{"one folder", "src/main.go\n1: package main\n", object{"pattern": "^package", "path": "src/"}},
		{"names", "src/util.py\n1: print('util ok')\n", object{"pattern": ".", "glob": "*.py"}},
		{"paths", "sub/deep/only-here\n1: alpha below\n", object{"pattern": "alpha", "glob": "sub/**"}},
		{"either case", "notes.txt\n1: alpha\n", object{"pattern": "ALPHA", "ignore_case": true, "glob": "notes.*"}},
		{"context", "notes.txt\n1- alpha\n2: beta format\n3- gamma\n", object{"pattern": "format", "context": 1, "glob": "notes.*"}},
		{"an ignored folder by its path", "build/sub/generated\n1: alpha\n", object{"pattern": "alpha", "path": "build"}},
		{"none", "(no match)\n", object{"pattern": "zeppelin", "glob": "*.py"}},
		{"no such name", "(no match: no file has such a name)\n", object{"pattern": "alpha", "glob": "*.cc"}},
		{"a folder's name", "(no match: no file has such a name; sub/deep is a folder)\n", object{"pattern": "alpha", "glob": "deep"}},
		{"ignored names from a folder", "(no match: no file has such a name; .gitignore leaves out sub/private.txt)\n", object{"pattern": "alpha", "glob": "*.txt", "path": "sub"}},
		{"ignored names", "(no match: no file has such a name; .gitignore leaves out build)\n", object{"pattern": "alpha", "glob": "build/**"}},
		{"a pattern for names as path", "notes.txt\n1: alpha\n", object{"pattern": "alpha", "path": "./not*.txt"}},
		{"an edge of a word, not escaped", "notes.txt\n1: alpha\n[\\b is written as \\\\b in JSON: shown is what fits so]\n", object{"pattern": "\balpha\b", "path": "notes.txt"}},
		{"the other way to write either", "notes.txt\n1: alpha\n3: gamma\n[in RE2 this is \"^alpha|gamma$\": shown is what fits so]\n", object{"pattern": `^alpha\|gamma$`, "path": "notes.txt"}},
		{"the edges of a word, as other programs write them", "notes.txt\n1: alpha\n[in RE2 this is \"\\\\balpha\\\\b\": shown is what fits so]\n", object{"pattern": `\<alpha\>`, "path": "notes.txt"}},
		{"an expression of JavaScript", "notes.txt\n3: gamma\n[in RE2 this is \"gam+a\": shown is what fits so]\n", object{"pattern": `/gam+a/`, "path": "notes.txt"}},
		{"in the other case", "notes.txt\n1: alpha\n[nothing fits in this case of letters: shown is what fits in either]\n", object{"pattern": `^ALPHA`, "path": "notes.txt"}},
		{"the edges of a word in the other case", "notes.txt\n1: alpha\n[nothing fits in this case of letters: shown is what fits in either]\n", object{"pattern": `\<ALPHA\>`, "path": "notes.txt"}},
		{"an expression of JavaScript with flags", "notes.txt\n3: gamma\n[nothing fits in this case of letters: shown is what fits in either]\n", object{"pattern": `/GAM+A/gi`, "path": "notes.txt"}},
		{"the brackets of grep", "notes.txt\n3: gamma\n[in RE2 this is \"^(x|gam+a)$\": shown is what fits so]\n", object{"pattern": `^\(x\|gam+a\)$`, "path": "notes.txt"}},
		{"escaped twice", "notes.txt\n3: gamma\n[nothing fits with \\\\: shown is what fits with \\]\n", object{"pattern": `\\bgam\\w+`, "path": "notes.txt"}},
		{"nothing on one side of a bar", "notes.txt\n3: gamma\n[| with nothing on one side would fit every line: shown is what fits without]\n", object{"pattern": "gamma|", "path": "notes.txt"}},
		{"a bar alone", "(no match)\n[| with nothing on one side would fit every line: shown is its plain text]\n", object{"pattern": "|", "path": "notes.txt"}},
		{"the or of a program", "code.js\n1: if (a || b)\n[| with nothing on one side would fit every line: shown is its plain text]\n", object{"pattern": "a || b", "path": "code.js"}},
		{"plain text in the other case", "code.js\n1: if (a || b)\n[nothing fits in this case of letters: shown is what fits in either]\n", object{"pattern": "IF (A ||", "path": "code.js"}},
		{"accents composed otherwise", "code.js\n2: cafe\u0301\n[nothing fits with its accents as they are composed (NFC, NFD): shown is what looks the same]\n", object{"pattern": "caf\u00e9", "path": "code.js"}},
		{"several patterns for names", "notes.txt\n1: alpha\n", object{"pattern": "alpha", "glob": "notes.*, *.md"}},
		{"what is in a folder", "src/main.go\n1: package main\n", object{"pattern": "package", "glob": "src/"}},
		{"plain text that is no expression", "src/util.py\n1: print('util ok')\n[nothing fits the pattern as an expression: shown is its plain text]\n", object{"pattern": "print(", "path": "src"}},
		{"plain text that is another expression", "src/util.py\n1: print('util ok')\n[nothing fits the pattern as an expression: shown is its plain text]\n", object{"pattern": "PRINT('util ok')", "ignore_case": true, "path": "src"}},
		{"several lines", "(no match: the pattern has a line end, and each line is looked at by itself)\n", object{"pattern": "alpha\\nbeta", "path": "notes.txt"}},
		{"several lines as they stand", "(no match: the pattern has a line end, and each line is looked at by itself)\n", object{"pattern": "alpha\nbeta", "path": "notes.txt"}},
		{"no line end", "(no match)\n", object{"pattern": "alpha[^\\n]*beta", "path": "notes.txt"}},
		{"no line end, nor a quote", "(no match)\n", object{"pattern": `alpha"[^"\n]*"`, "path": "notes.txt"}},
		{"what a program writes for one", "(no match)\n", object{"pattern": `alpha\\n`, "path": "notes.txt"}},
		{"several patterns", "(no match: no file has such a name; several patterns are written {*.a,*.b})\n", object{"pattern": "alpha", "glob": "a.txt,*.md"}},
		{"neither", "(no match)\n", object{"pattern": "zeppelin(x)", "path": "src"}},
		{"binary", "(no match)\n", object{"pattern": "alpha", "path": "src/bin.dat"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := project(t)
			w.write("code.js", "if (a || b)\ncafe\u0301\n")
			same(t, fsm.ToolAnswered{Text: c.want}, w.call("grep", c.args))
		})
	}
	for want, args := range map[string]object{
		"the pattern is not an RE2 regular expression: missing closing ): `a(b`; put \\ before a character": {"pattern": "a(b"},
		"missing argument to repetition operator: `*`; glob finds files by name":                            {"pattern": "*.go"},
		"invalid or unsupported Perl syntax: `(?=`; RE2 cannot look ahead or behind: leave that out":        {"pattern": "(?=alpha)"},
		"`(?<!alpha)`; RE2 cannot look ahead or behind: leave that out":                                     {"pattern": "(?<!alpha)"},
		`no such file or folder: "*.md"; glob finds files by a pattern`:                                     {"pattern": "x", "path": "*.md", "glob": "*.go"},
		"pattern is empty":                    {"pattern": ""},
		"its repetitions make it too long: 3": {"pattern": "a{0,999}b{0,999}"},
		"has at most 1000 bytes":              {"pattern": "x", "glob": strings.Repeat("{", 501) + strings.Repeat("}", 501)},
		"is not a pattern":                    {"pattern": "x", "glob": "[a"},
		"begins at path":                      {"pattern": "x", "glob": "/src/*.go"},
		"is outside":                          {"pattern": "x", "path": ".."},
		"leads out":                           {"pattern": "x", "path": "link_out"},
		"may hold secrets":                    {"pattern": "x", "path": ".env"},
		"no such file or folder":              {"pattern": "x", "path": "absent"},
	} {
		if got := project(t).call("grep", args); !got.Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
}

// Context of matches that are near each other is shown once, and a gap is marked.
func TestTOL29ContextIsShownOnce(t *testing.T) {
	w := newWorld(t)
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	w.write("f", text.String())
	got := w.call("grep", object{"pattern": "line (3|5|20)$", "path": "f", "context": 1})
	want := "f\n2- line 2\n3: line 3\n4- line 4\n5: line 5\n6- line 6\n--\n19- line 19\n20: line 20\n21- line 21\n"
	same(t, want, got.Text)
}

// A line that is looked at in pieces is one line of context, with its number.
func TestTOL29ALongLineIsOneLineOfContext(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", 3*lineBytesMax)
	cut := strings.Repeat("x", excerptBytes)
	w.write("f", "one\n"+long+"\nthree\nalpha\nfive\n"+long+"\nseven\n"+long+cut+"alpha"+long+"\nnine\n")
	around := "…" + strings.Repeat("x", excerptBytes/4) + "alpha" + strings.Repeat("x", excerptBytes*3/4-len("alpha")) + "…"
	got := w.call("grep", object{"pattern": "alpha", "path": "f", "context": 2})
	want := "f\n2- " + cut + "\n3- three\n4: alpha\n5- five\n6- " + cut + "\n7- seven\n8: " + around + "\n9- nine\n"
	same(t, want, got.Text)
	w.write("f", "one\ntwo\n"+long+"alpha\nfour\n")
	want = "f\n2- two\n3: …" + strings.Repeat("x", excerptBytes-len("alpha")) + "alpha\n4- four\n"
	same(t, want, w.call("grep", object{"pattern": "alpha", "path": "f", "context": 1}).Text)
}

// A search that finds nothing is not taken for one of everything.
func TestTOL29AGrepSaysWhatItLeavesOut(t *testing.T) {
	w := newWorld(t)
	w.write("two/name", "needle\n")
	w.link(filepath.Join(w.workspace, "two/name"), "two/other")
	w.write("long/first", strings.Repeat("alpha\n", w.options.ReadBytesMax/len("alpha\n"))+"alpha needle\n")
	w.write("long/second", strings.Repeat("x", w.options.ReadBytesMax))
	for path, want := range map[string]string{
		"two":        "(no match)\n[not searched, since they have hard links: 2]",
		"long":       "(no match)\n[searched only in the first 1048576 bytes (tools.read_bytes_max): 1]",
		"long/first": "(no match)\n[searched only in the first 1048576 bytes (tools.read_bytes_max): 1]",
		"src":        "(no match)\n",
	} {
		if got := w.call("grep", object{"pattern": "needle", "path": path}); got.Failed || got.Text != want {
			t.Errorf("%s: %+v, want %q", path, got, want)
		}
	}
	if os.Geteuid() == 0 {
		return // root may read everything
	}
	w.write("closed/file", "needle\n")
	w.must(os.Chmod(filepath.Join(w.workspace, "closed/file"), 0))
	if got := w.call("grep", object{"pattern": "needle", "path": "closed"}); got.Text != "(no match)\n[not searched, since they cannot be read: 1]" {
		t.Errorf("got %+v; want Text %q", got, "(no match)\n[not searched, since they cannot be read: 1]")
	}
}

func TestTOL29AGrepIsBounded(t *testing.T) {
	w := newWorld(t)
	w.options.ResultBytesMax = 1 << 20
	w.write("many.txt", strings.Repeat("alpha\n", 3*matchesMax))
	got := w.call("grep", object{"pattern": "alpha", "path": "many.txt"})
	if n := strings.Count(got.Text, ": alpha"); n != matchesMax || !strings.HasSuffix(got.Text, "[cut: not everything was searched, since these are 200 already; name a folder with path, or narrow it]") {
		t.Errorf("%d matches, … %q", n, got.Text[len(got.Text)-120:])
	}
	w.options.ResultBytesMax = 2048
	got = w.call("grep", object{"pattern": "alpha", "path": "many.txt"})
	if !strings.Contains(got.Text, "the result has no room for more") {
		t.Errorf("got … %q; want %q", got.Text[len(got.Text)-120:], "the result has no room for more")
	}
	w.write("line.txt", strings.Repeat("x", 3*lineBytesMax)+"alpha\nalpha\n")
	got = w.call("grep", object{"pattern": "alpha", "path": "line.txt"})
	if got.Text != "line.txt\n1: …"+strings.Repeat("x", excerptBytes-len("alpha"))+"alpha\n2: alpha\n" {
		t.Errorf("a long line: %.200q", got.Text)
	}
}

// A search that takes too long shows what it has found.
func TestTOL29ASearchThatTakesTooLongEnds(t *testing.T) {
	w := newWorld(t)
	w.options.SearchTime = time.Nanosecond
	for name, args := range map[string]object{"grep": {"pattern": "alpha(x)"}, "glob": {"pattern": "*"}, "list_dir": {"depth": 3}} {
		if got := w.call(name, args); got.Failed || !strings.Contains(got.Text, "since it took too long") {
			t.Errorf("%s: got %+v; want not Failed, Text with %q", name, got, "since it took too long")
		}
	}
}

func TestTOL30GlobFindsNames(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       object
	}{
		{"a name", "src/util.py\n", object{"pattern": "*.py"}},
		{"a path", "src/main.go\nsrc/util.py\n", object{"pattern": "src/*.{go,py}"}},
		{"deep", "node/a/b/c/d/e/f/g\nsub/deep/only-here\n", object{"pattern": "*/**/[go]*"}},
		{"from a folder", "src/main.go\n", object{"pattern": "*.go", "path": "src"}},
		{"ignored", "(no such file; .gitignore leaves out run.log)", object{"pattern": "run.log"}},
		{"in an ignored folder", "(no such file; .gitignore leaves out build)", object{"pattern": "build/sub/*"}},
		{"an ignored folder", "(no such file; .gitignore leaves out build)", object{"pattern": "build/**"}},
		{"git's folder", "(no such file; .git is left out)", object{"pattern": ".git/*"}},
		{"several patterns", "notes.txt\nold.txt\nrm -rf notes.md\nsrc/chinese.txt\nsrc/long.txt\n", object{"pattern": "*.txt|*otes.md"}},
		{"several patterns with blanks", "data.csv\nsrc/main.go\n", object{"pattern": "*.csv, src/*.go"}},
		{"patterns with blanks between them", "data.csv\nsrc/main.go\n", object{"pattern": "*.csv src/*.go"}},
		{"blanks in a name with stars", "rm -rf notes.md\n", object{"pattern": "*f *.md"}},
		{"a star and blanks", "app/[id]/a (1).md\n", object{"pattern": "* (*).md"}},
		{"stars next to a name", "app/[id]/a (1).md\n", object{"pattern": "app/**.md"}},
		{"stars next to a name in braces", "app/[id]/a (1).md\nsrc/main.go\n", object{"pattern": "{app/**.md,src/**.go}"}},
		{"brackets of a name", "app/[id]/a (1).md\n[nothing fits [ ] as a choice of letters: shown is what has them in its name]\n", object{"pattern": "app/[id]/*.md"}},
		{"accents composed otherwise", "app/cafe\u0301\n", object{"pattern": "caf\u00e9"}},
		{"the folder once more", "src/main.go\n[a pattern begins at path: shown is what fits without that]\n", object{"pattern": "src/*.go", "path": "src/"}},
		{"several patterns in braces", "data.csv\nsrc/main.go\n", object{"pattern": "{*.csv,*.go}"}},
		{"no pattern at all", "(no such file)", object{"pattern": ";"}},
		{"a part of an ending", "(no such file)", object{"pattern": "*.p"}},
		{"several patterns, one a name", "(no such file; several patterns are written {*.a,*.b})", object{"pattern": "a.txt|*.md"}},
		{"a blank in a name", "rm -rf notes.md\n", object{"pattern": "rm *.md"}},
		{"a folder", "sub/deep/only-here\n[only folders fit: shown is what is in them]\n", object{"pattern": "deep"}},
		{"a folder from a folder", "sub/deep/only-here\n[only folders fit: shown is what is in them]\n", object{"pattern": "deep", "path": "sub/"}},
		{"a folder with a slash", "sub/.gitignore\nsub/deep/only-here\n", object{"pattern": "sub/", "path": "."}},
		{"the other case", "src/util.py\n[nothing fits in this case of letters: shown is what fits in either]\n", object{"pattern": "*.PY"}},
		{"a part of a name", "src/chinese.txt\n[no file has this name: shown are those that have it in theirs]\n", object{"pattern": "Chin"}},
		{"further down", "sub/deep/only-here\n[nothing fits from the folder on: shown is what fits further down]\n", object{"pattern": "deep/*"}},
		{"backslashes", "src/util.py\n[folders are written with / and not \\: shown is what fits so]\n", object{"pattern": `src\*.py`}},
		{"nothing like it", "(no such file)", object{"pattern": "zeppelin"}},
		{"ignored from a folder", "(no such file; .gitignore leaves out sub/private.txt)", object{"pattern": "*.txt", "path": "./sub"}},
		{"the workspace's path", "src/util.py\n", object{"pattern": "{{ws}}/**/*.py"}},
		{"not ignored", "keep.log\n", object{"pattern": "*.log"}},
		{"in an ignored folder by its path", "build/sub/generated\nbuild/tmp.o\n", object{"pattern": "**", "path": "build/"}},
		{"hidden", ".env\n", object{"pattern": ".env*"}},
		{"private", "(no such file)", object{"pattern": "**/journal"}},
		{"braces", "notes.txt\n", object{"pattern": "{{n,m},x}{o,}t{e,}s.{txt,{md,go}}"}},
		{"escaped braces", "(no such file)", object{"pattern": strings.Repeat("\\{a,b\\}", 10)}},
		{"not through links", "sub/deep/only-here\n", object{"pattern": "**/only-here"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := project(t)
			w.write("app/[id]/a (1).md", "")
			w.write("app/cafe\u0301", "")
			c.args["pattern"] = strings.ReplaceAll(c.args["pattern"].(string), "{{ws}}", w.workspace)
			same(t, fsm.ToolAnswered{Text: c.want}, w.call("glob", c.args))
		})
	}
	for want, args := range map[string]object{
		"a pattern begins at path":                  {"pattern": "/etc/*"},
		"\"../*.go\" has ..":                        {"pattern": "../*.go"},
		"is not a pattern":                          {"pattern": "[a"},
		"for more than 1000 patterns":               {"pattern": strings.Repeat("{a,b}", 10)},
		"has at most 1000 bytes, and this one 1002": {"pattern": strings.Repeat("{", 501) + strings.Repeat("}", 501)},
		"is a file, not a directory":                {"pattern": "*", "path": "notes.txt"},
		"is outside the workspace":                  {"pattern": "*", "path": "../outside"},
		"leads out of the workspace":                {"pattern": "*", "path": "link_out"},
		"belongs to the agent itself":               {"pattern": "*", "path": "state"},
		"no such file or folder: \"x\"":             {"pattern": "*", "path": "x"},
	} {
		if got := project(t).call("glob", args); !got.Invalid || !strings.Contains(got.Text, want) {
			t.Errorf("%v: %+v, want %q", args, got, want)
		}
	}
}

func TestTOL30ANameInCapitalsIsFoundWithoutThem(t *testing.T) {
	w := newWorld(t)
	w.write("src/READ.me", "")
	same(t, "src/READ.me\n[nothing fits in this case of letters: shown is what fits in either]\n", w.call("glob", object{"pattern": "read.ME"}).Text)
	same(t, "src/READ.me\n[no file has this name: shown are those that have it in theirs]\n", w.call("glob", object{"pattern": "EAD", "path": "src"}).Text)
}

func TestTOL30GlobShowsTheNewestFirst(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, name := range []string{"a.txt", "b.txt", "c.txt"} {
		w.write(name, "")
		w.must(os.Chtimes(filepath.Join(w.workspace, name), at, at.Add(time.Duration(i%2)*time.Hour)))
	}
	got := w.call("glob", object{"pattern": "?.txt", "newest": true})
	if got.Text != "b.txt\na.txt\nc.txt\n" {
		t.Errorf("got %q; want %q", got.Text, "b.txt\na.txt\nc.txt\n")
	}
}

// What a search does not find may be where it has not looked.
func TestTOL30AWalkSaysWhichFoldersItHasNotLookedInto(t *testing.T) {
	w := newWorld(t)
	w.write("deep/"+strings.Repeat("d/", walkDepth)+"needle", "needle\n")
	w.write("just/"+strings.Repeat("d/", walkDepth-1)+"needle", "needle\n")
	deep := "\n[folders not looked into, since they are more than 64 deep: 1]"
	for _, c := range []struct {
		tool, want string
		args       object
	}{
		{"glob", "(no such file)" + deep, object{"pattern": "needle", "path": "deep"}},
		{"grep", "(no match)" + deep, object{"pattern": "needle", "path": "deep"}},
		{"glob", "just/" + strings.Repeat("d/", walkDepth-1) + "needle\n", object{"pattern": "needle", "path": "just"}},
		{"glob", "deep/d/" + strings.Repeat("d/", walkDepth-1) + "needle\n", object{"pattern": "needle", "path": "deep/d"}},
	} {
		if got := w.call(c.tool, c.args); got.Failed || got.Text != c.want {
			t.Errorf("%s %v: %+v, want %q", c.tool, c.args, got, c.want)
		}
	}
	if got := w.call("list_dir", object{"path": "deep", "depth": 3}); got.Text != "d/\nd/d/\nd/d/d/\n" {
		t.Errorf("a depth that was asked for: %+v", got)
	}
	if os.Geteuid() == 0 {
		return // root may read everything
	}
	w.write("some/closed/needle", "needle\n")
	closed := filepath.Join(w.workspace, "some/closed")
	w.must(os.Chmod(closed, 0))
	t.Cleanup(func() { w.must(os.Chmod(closed, 0o700)) })
	for name, want := range map[string]string{"glob": "(no such file)", "grep": "(no match)", "list_dir": "closed/"} {
		args := object{"path": "some", "pattern": "needle"}
		if name == "list_dir" {
			args = object{"path": "some", "depth": 2}
		}
		if got := w.call(name, args); got.Text != want+"\n[folders not looked into, since they cannot be read: 1]" {
			t.Errorf("%s: got %+v; want Text %q", name, got, want+"\n[folders not looked into, since they cannot be read: 1]")
		}
	}
}

func TestTOL30AGlobIsBounded(t *testing.T) {
	w := newWorld(t)
	w.options.ResultBytesMax = 1 << 20
	for i := range pathsMax + 20 {
		w.write(fmt.Sprintf("many/%04d", i), "")
	}
	got := w.call("glob", object{"pattern": "many/*"})
	if n := strings.Count(got.Text, "many/"); n != pathsMax || !strings.HasSuffix(got.Text, "[cut: 500 of 520 files are shown; narrow the pattern or path]\n") {
		t.Errorf("got %d paths, … %q; want %d, and the end %q", n, got.Text[len(got.Text)-80:], pathsMax, "[cut: 500 of 520 files are shown; narrow the pattern or path]\n")
	}
}

func TestTOL28AFolderIsListedInDepth(t *testing.T) {
	w := project(t)
	want := `.env  12 bytes
.git/  (ignored; list it by its path)
.gitignore  34 bytes
build/  (ignored; list it by its path)
data.csv  14 bytes
docs/
docs/readme.md  36 bytes
keep.log  11 bytes
link_in -> sub
link_out -> ../outside
node/
node/a/
notes.txt  24 bytes
old.txt  4 bytes
rm -rf notes.md  9 bytes
src/
src/bin.dat  7 bytes
src/chinese.txt  18 bytes
src/long.txt  2006 bytes
src/main.go  13 bytes
src/util.py  17 bytes
sub/
sub/.gitignore  10 bytes
sub/deep/
`
	same(t, fsm.ToolAnswered{Text: want}, w.call("list_dir", object{"depth": 2}))
	if got := w.call("list_dir", object{"path": "build", "depth": 3}); got.Text != "sub/\nsub/generated  6 bytes\ntmp.o  4 bytes\n" {
		t.Errorf("an ignored folder by its path: %q", got.Text)
	}
	w.must(os.Mkdir(filepath.Join(w.workspace, "void"), 0o755))
	if got := w.call("list_dir", object{"path": "void", "depth": 3}); got.Text != "(empty)" {
		t.Errorf("an empty one: %q", got.Text)
	}
}

func TestTOL28AListHasDatesWhereTheyAreAskedFor(t *testing.T) {
	w := newWorld(t)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.Local)
	w.write("d/sub/x", "")
	w.write("d/f", "abc")
	w.symlink("f", "d/l")
	for _, name := range []string{"d/f", "d/sub"} {
		w.must(os.Chtimes(filepath.Join(w.workspace, name), at, at))
	}
	got := w.call("list_dir", object{"path": "d", "dates": true})
	if !strings.HasPrefix(got.Text, "f  3 bytes  2030-01-02 03:04\nl -> f  20") || !strings.HasSuffix(got.Text, "sub/  2030-01-02 03:04\n") {
		t.Errorf("got %q; want %q first, %q last", got.Text, "f  3 bytes  2030-01-02 03:04\nl -> f  20", "sub/  2030-01-02 03:04\n")
	}
}

// A file that may hold secrets is neither read nor searched nor written, by whatever name.
func TestTOL21SecretsAreRefused(t *testing.T) {
	w := newWorld(t)
	for path, text := range map[string]string{
		".env": "A=1\n", "prod/.env.local": "A=1\n", "staging.env": "A=1\n", ".ssh/id_ed25519": "x\n", ".ssh/work": "x\n",
		".aws/credentials": "x\n", "home/.netrc": "x\n", "deploy.key": privateKey, "certs.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" + strings.ReplaceAll(privateKey, "OPENSSH ", ""),
		"pgp.asc": "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n",
	} {
		w.write(path, text)
		if got := w.call("read_file", object{"path": path}); !got.Invalid || !strings.Contains(got.Text, "may hold secrets (passwords or keys) and is refused") || !strings.Contains(got.Text, "tools.secrets") {
			t.Errorf("read %s: %+v", path, got)
		}
		if got := w.call("edit_file", object{"path": path, "old": text, "new": "y"}); !got.Invalid || !strings.Contains(got.Text, "may hold secrets") {
			t.Errorf("edit %s: %+v", path, got)
		}
	}
	w.symlink(".env", "innocent.txt")
	if got := w.call("read_file", object{"path": "innocent.txt"}); !strings.Contains(got.Text, "may hold secrets") {
		t.Errorf("by a link: %+v", got)
	}
	w.symlink(filepath.Join(w.workspace, "notes.txt"), "linked.env")
	if got := w.call("read_file", object{"path": "linked.env"}); !strings.Contains(got.Text, "may hold secrets") {
		t.Errorf("a link with such a name: %+v", got)
	}
	for path, text := range map[string]string{
		".env.example": "A=\n", "environment.md": "x\n", ".ssh/id_rsa.pub": "ssh-rsa AAAA\n", ".ssh/config": "Host a\n", "keys.md": "Begin with -----BEGIN PRIVATE KEY-----\nand so on\n",
		"howto.md": "-----BEGIN PRIVATE KEY-----\n… your key …\n", "public.pem": "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n",
	} {
		w.write(path, text)
		if got := w.call("read_file", object{"path": path}); got.Failed || got.Text != text {
			t.Errorf("wrongly refused %s: %+v", path, got)
		}
	}
	w.options.Secrets = true
	for _, path := range []string{".env", "deploy.key", ".ssh/work"} {
		if got := w.call("read_file", object{"path": path}); got.Failed {
			t.Errorf("allowed %s: %+v", path, got)
		}
	}
}

// A line of any length is read in parts, which are the whole line together.
func TestTOL20ALongLineIsReadInParts(t *testing.T) {
	w := newWorld(t)
	line := strings.Repeat("0123456789é", 2000)
	w.write("f", "first\n"+line+"\nlast\nend")
	var got strings.Builder
	for offset, column := 2, 1; column > 0; {
		r := w.call("read_file", object{"path": "f", "offset": offset, "column": column, "limit": 1})
		if r.Failed {
			t.Fatalf("got %+v; want not Failed", r)
		}
		text, mark, _ := strings.Cut(r.Text, "\n[lines ")
		got.WriteString(strings.TrimSuffix(text, "\n"))
		column = 0
		if _, next, cut := strings.Cut(mark, "read it with offset 2 and column "); cut {
			if _, err := fmt.Sscanf(next, "%d", &column); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got.String() != line {
		t.Errorf("%d bytes of %d, or others", got.Len(), len(line))
	}
	for want, args := range map[string]object{
		"line 1 ends before column 7; begin at column 1": {"path": "f", "column": 7},
		"line 4 ends before column 4; begin at column 1": {"path": "f", "offset": 4, "column": 4},
		"there is no line 9; the file has 4 lines":       {"path": "f", "offset": 9, "column": 2},
	} {
		if r := w.call("read_file", args); !r.Invalid || r.Text != want {
			t.Errorf("%v: got %+v; want Invalid, Text %q", args, r, want)
		}
	}
}

func TestTOL20LinesHaveNumbersWhereTheyAreAskedFor(t *testing.T) {
	w := newWorld(t)
	got := w.call("read_file", object{"path": "notes.txt", "offset": 2, "numbers": true})
	if got.Text != "2: beta format\n3: gamma\n" {
		t.Errorf("got %q; want %q", got.Text, "2: beta format\n3: gamma\n")
	}
}

// A line of any length is searched like a short one: a piece of it is not a line.
func TestTOL29AMatchMayCrossThePiecesOfALongLine(t *testing.T) {
	w := newWorld(t)
	at := func(n int, text string) string { return strings.Repeat("x", n) + text }
	for name, c := range map[string]struct {
		text, pattern string
		matches       int
	}{
		"across the end":                   {at(lineBytesMax-3, "needle") + "yy\n", "needle", 1},
		"before the end":                   {at(lineBytesMax-6, "needle") + "yy\n", "needle", 1},
		"after the end":                    {at(lineBytesMax, "needle") + "yy\n", "needle", 1},
		"in what is looked at twice":       {at(lineBytesMax-100, "needle") + at(200, "\n"), "needle", 1},
		"two, one across the end":          {at(lineBytesMax-100, "needle") + at(91, "needle") + at(200, "\n"), "needle", 2},
		"no beginning of a line":           {at(lineBytesMax, "needle\n"), "^needle", 0},
		"no beginning of a word":           {at(lineBytesMax, "needle\n"), `\bneedle`, 0},
		"no end of a line":                 {at(lineBytesMax-6, "needle") + "yy\n", "needle$", 0},
		"the end of the line":              {at(lineBytesMax-6, "needle\n"), "needle$", 1},
		"its end with CRLF":                {at(lineBytesMax-7, "needle\r\n"), "needle$", 1},
		"the end of the file":              {at(lineBytesMax-6, "needle"), "needle$", 1},
		"other characters":                 {at(lineBytesMax-1, "世界") + "\n", "x世界", 1},
		"nothing across the end of a line": {at(lineBytesMax-3, "nee\ndle\n"), "needle", 0},
	} {
		w.write("f", c.text)
		got := w.call("grep", object{"pattern": c.pattern, "path": "f"})
		if n := strings.Count(got.Text, "\n1: "); n != c.matches {
			t.Errorf("%s: %d matches, want %d: %.300q", name, n, c.matches, got.Text)
		}
	}
}

func TestTOL28ALineThatIsCutIsNoPattern(t *testing.T) {
	w := newWorld(t)
	const last = "*.log\n"
	w.write("big/.gitignore", strings.Repeat("#", ignore.BytesMax-len("\n*"))+"\n"+last)
	w.write("big/a.txt", "alpha\n")
	same(t, fsm.ToolAnswered{Text: "big/.gitignore\nbig/a.txt\n"}, w.call("glob", object{"pattern": "big/*"}))
}

// The time of a search may end in a folder that has many files.
func TestTOL30AWalkEndsInAFolder(t *testing.T) {
	w := project(t)
	tools := w.tools()
	dir, err := tools.open(t.Context(), "src")
	w.must(err)
	defer dir.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	visited := 0
	walked := walk{t: tools, ctx: ctx, depth: walkDepth, visit: func(entry) bool {
		visited++
		cancel()
		return true
	}}
	w.must(walked.from(dir))
	if visited != 1 || walked.why == "" {
		t.Errorf("%d entries visited, ended because %q; want 1 and a reason", visited, walked.why)
	}
}

// The files are searched once more only for a reading of the pattern that fits in them.
func TestTOL29OneSearchSaysWhichReadingsFit(t *testing.T) {
	w := project(t)
	w.write("src/long.js", strings.Repeat("x", 2*lineBytesMax)+"run(now)"+strings.Repeat("x", lineBytesMax)+"\n")
	tools := w.tools()
	for text, want := range map[string][]bool{
		`zeppelin(x)`: {false, false}, `run(now)`: {true, true}, `^package\|gamma$`: {true, true, false, true}, `zep\|pelin(x)`: {false, false, false, false},
		`print(`: {false}, `print('util ok')\|x`: {true, true, false, true}, `alpha`: {false}, `PRINT`: {true}, `7`: {},
	} {
		readings, _ := readingsOf(text, false)
		s := &search{t: tools, pattern: readings[0].expression, files: filter{patterns: []string{"**"}}, room: tools.room(), others: readings[1:], fits: make([]bool, len(readings)-1)}
		if err := s.in(guard(t), "src"); err != nil || !slices.Equal(s.fits, want) {
			t.Errorf("%s: %v, %v; want %v", text, s.fits, err, want)
		}
	}
}
