package file

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTOL23AFileIsEdited(t *testing.T) {
	for _, c := range []struct {
		name, held, want, says string
		args                   object
	}{
		{"one place", "alpha\nbeta\ngamma\n", "alpha\ndelta\ngamma\n", "wrote f (3 lines, 18 bytes)\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+delta\n gamma\n",
			object{"old": "beta", "new": "delta"}},
		{"beside a long line", strings.Repeat("x", 9000) + "\nbeta\n", strings.Repeat("x", 9000) + "\ndelta\n", "x…\n-beta\n+delta\n",
			object{"old": "beta", "new": "delta"}},
		{"in a long line", strings.Repeat("x", 9000) + "beta\n", strings.Repeat("x", 9000) + "delta\n", "\n-…" + strings.Repeat("x", 236) + "beta\n+…" + strings.Repeat("x", 235) + "delta\n",
			object{"old": "beta", "new": "delta"}},
		{"away", "alpha\nbeta\ngamma\n", "alpha\ngamma\n", "", object{"old": "beta\n", "new": ""}},
		{"several lines", "a\n  b\n  c\nd\n", "a\n  x\nd\n", "", object{"old": "  b\n  c\n", "new": "  x\n"}},
		{"every place", "a\na\nb\n", "x\nx\nb\n", "", object{"old": "a", "new": "x", "all": true}},
		{"several edits", "one two three\n", "1 two 3\n", "", object{"edits": []object{{"old": "three", "new": "3"}, {"old": "one", "new": "1"}}}},
		{"several edits beside empty texts", "one two three\n", "1 two three\n", "", object{"old": "", "new": "", "all": false, "edits": []object{{"old": "one", "new": "1"}}}},
		{"all of the call, for each edit", "a a b b\n", "x x y y\n", "", object{"all": true, "edits": []object{{"old": "a", "new": "x"}, {"old": "b", "new": "y"}}}},
		{"an edit that puts in what another replaces", "a b\n", "b c\n", "", object{"edits": []object{{"old": "a", "new": "b"}, {"old": "b", "new": "c"}}}},
		{"CRLF", "alpha\r\nbeta\r\n", "alpha\r\nx\r\ny\r\n", "as before with CRLF line ends", object{"old": "beta\n", "new": "x\ny\n"}},
		{"CRLF across lines", "alpha\r\nbeta\r\n", "x\r\n", "", object{"old": "alpha\nbeta", "new": "x"}},
		{"CRLF given for a file without", "alpha\nbeta\n", "x\n", "", object{"old": "alpha\r\nbeta", "new": "x"}},
		{"both line ends are exact", "alpha\r\nbeta\n", "alpha\r\nx\n", "", object{"old": "\r\nbeta", "new": "\r\nx"}},
		{"both line ends match each other", "a\r\nb\r\nc\nd\r\n", "x\r\ny\r\nc\nd\r\n", "", object{"old": "a\nb", "new": "x\ny"}},
		{"both line ends in one place", "é\r\nb\nc\r\nd\n", "é\r\nx\ny\r\nd\n", "", object{"old": "b\r\nc", "new": "x\r\ny"}},
		{"both line ends in every place", "a\r\n\nb\na\r\n\nb\r\n", "-b\n-b\r\n", "", object{"old": "a\n\n", "new": "-", "all": true}},
		{"before and after both line ends", "a\r\nb\r\nc\n", "axc\n", "", object{"old": "\nb\n", "new": "x"}},
		{"from the middle of a line end on", "a\r\nb\nc\n", "ab\nc\n", "", object{"old": "\nb", "new": "b"}},
		{"a mark", "\uFEFFhi old\n", "\uFEFFhi new\n", "", object{"old": "old", "new": "new"}},
		{"at a mark", "\uFEFFold\n", "\uFEFFnew\n", "", object{"old": "old", "new": "new"}},
		{"bad bytes stay", "caf\xe9 x \xff and a long text of plain letters\n", "caf\xe9 y \xff and a long text of plain letters\n", "", object{"old": " x ", "new": " y "}},
		{"GBK", encoded(t, gb, "你好，世界。\n"), encoded(t, gb, "你好，朋友。\n"), "as before with GBK", object{"old": "世界", "new": "朋友"}},
		{"UTF-16", encoded(t, le, "plain old text\n"), encoded(t, le, "plain new text\n"), "", object{"old": "old", "new": "new"}},
		{"an empty file", "", "new\n", "", object{"old": "", "new": "new\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("f", c.held)
			w.must(os.Chmod(filepath.Join(w.workspace, "f"), 0o640))
			c.args["path"] = "f"
			if got := w.call("edit_file", c.args); got.Failed || !strings.Contains(got.Text, c.says) {
				t.Errorf("got %+v, want %q", got, c.says)
			}
			w.holds("f", c.want)
			if info, err := os.Stat(filepath.Join(w.workspace, "f")); err != nil || info.Mode() != 0o640 {
				t.Errorf("the mode is %v, %v", info.Mode(), err)
			}
			w.leftovers()
		})
	}
}

// Of equal lines there are as many pairs as the product of both texts has.
func TestTOL23ManyEqualLinesAreNotAllCompared(t *testing.T) {
	const n = 20_000
	text, old := strings.Repeat("}\n", n), strings.Repeat(" }\n", 100)
	if got := missing(text, old); !strings.HasPrefix(got, "old is not found: it differs in blanks or indentation only (line 1 begins with none, old with 1 blank); the nearest is\n1: }\n") {
		t.Errorf("%.200s", got)
	}
	lines := strings.Split(text, "\n")
	if _, same := aligned(lines, lines, squeezed); same > nearPairsMax/n+1 {
		t.Errorf("%d of %d equal lines are compared with as many", same, n)
	}
}

// Neither what an edit makes nor the places that it replaces take memory without bound.
func TestTOL23AnEditIsBounded(t *testing.T) {
	few, many := strings.Repeat("a ", 1000), strings.Repeat("ab", placesMax*3/4)
	for _, c := range []struct {
		name, text, want string
		edits            []edit
	}{
		{"a large text", few, "the file would have 100001000 bytes; the most is 16777216", []edit{{old: " ", new: strings.Repeat("x", 100_000), all: true}}},
		{"many places", many + many, "old is found more than 1048576 times, the most that one call replaces; give more of the text around what is meant", []edit{{old: "a", all: true}}},
		{"many places, one meant", many + many, "old is found more than 8 times, on lines 1, 1, 1, 1, 1, 1, 1, 1; give more of the text around the one that is meant, or all: true", []edit{{old: "a"}}},
		{"many long places that overlap", many, "old is found more than 8 times, on lines 1, 1, 1, 1, 1, 1, 1, 1; give more of the text around the one that is meant, or all: true", []edit{{old: many[:placesMax]}}},
		{"many places of two edits", many, "2: there are more than 1048576 places to replace, the most of one call", []edit{{old: "a", all: true}, {name: "2: ", old: "b", all: true}}},
	} {
		text, err := replaced(c.text, c.edits)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %d bytes, %v; want the error %q", c.name, len(text), err, c.want)
		}
	}
	if _, err := replaced(many, []edit{{old: "a", new: "b", all: true}}); err != nil {
		t.Errorf("%d places: %v", len(many)/2, err)
	}
}

func TestTOL23AnEmptyOldMakesAFile(t *testing.T) {
	w := newWorld(t)
	if got := w.call("edit_file", object{"path": "new/x.txt", "old": "", "new": "one\n"}); got.Failed || got.Text != "created new/x.txt (1 line, 4 bytes)\n" {
		t.Errorf("got %+v; want Text %q", got, "created new/x.txt (1 line, 4 bytes)\n")
	}
	w.holds("new/x.txt", "one\n")
}

// A failure says what was wrong and where to look, and nothing is changed, whatever the call's
// other edits are.
func TestTOL23AnEditThatIsNotMade(t *testing.T) {
	const held = "package main\n\nfunc main() {\n\tprintln(\"a\")\n}\n\nfunc other() {\n\tprintln(\"a\")\n}\n"
	for _, c := range []struct {
		name, want string
		args       object
	}{
		{"twice", "f: old is found 2 times, on lines 4, 8; give more of the text around the one that is meant, or all: true; nothing was changed",
			object{"old": "println(\"a\")", "new": "x"}},
		{"nothing to change", "nothing to change: old and new are the same", object{"old": "func main", "new": "func main"}},
		{"other blanks", "old is not found: it differs in blanks or indentation only (line 4 begins with 1 tab, old with 4 blanks); the nearest is\n3: func main() {\n4: \tprintln(\"a\")\ngive old exactly as it stands there, without the numbers",
			object{"old": "func main() {\n    println(\"a\")\n", "new": "\tprintln(\"b\")\n"}},
		{"one line of several", "old is not found; the nearest is\n7: func other() {\n8: \tprintln(\"a\")\n",
			object{"old": "func other() {\n\tprintln(\"b\")", "new": "x"}},
		{"a slip", "old is not found; the nearest is\n1: package main\n", object{"old": "packge main", "new": "x"}},
		{"a part of a line", "old is not found", object{"old": "func mian()", "new": "x"}},
		{"nothing like it", "old is not found, nor anything like it; read_file shows what the file holds", object{"old": "SELECT * FROM customers", "new": "x"}},
		{"with line numbers", "old is not found, but without the line numbers it is: leave them out, of new too", object{"old": "3: func main() {\n4: \tprintln(\"a\")", "new": "3: func main() {\nx"}},
		{"with the number of the first line", "old is not found, but without the line numbers it is", object{"old": "7: func other() {\n\tprintln(\"a\")", "new": "x"}},
		{"numbers that are none", "old is not found; the nearest is\n3: func main() {", object{"old": "7: func main() {\n\tprintln(\"b\")", "new": "x"}},
		{"a blank at a line's end", "blanks or indentation only (line 1 ends with none, old with 1 blank)", object{"old": "package main \n\nfunc  main() {", "new": "x"}},
		{"blanks in a line", "blanks or indentation only (line 1 has U+0020 where old has U+00A0)", object{"old": "package\u00a0main\n", "new": "x"}},
		{"two blanks in a line", "blanks or indentation only (line 1 has m where old has U+0020)", object{"old": "package  main\n", "new": "x"}},
		{"a line end too many", "old is not found, but without the blanks or line ends around it it is: leave them out, of new too; nothing was changed", object{"path": "short", "old": "caf\u00e9\n\n", "new": "x\n"}},
		{"in a fence", "old is not found, but without the fence (```) it is: leave it out, of new too", object{"old": "```go\n\tprintln(\"a\")\n}\n\n```", "new": "x"}},
		{"escaped twice", `old is not found, but with line ends, tabs and quotes in place of \n, \t and \" it is: escape them once, in new too`, object{"old": `func main() {\n\tprintln(\"a\")`, "new": "x"}},
		{"a diff", "old is not found, but it is as the old side of this diff: give what is there as old", object{"old": "@@ -3,2 +3,2 @@\n func main() {\n-\tprintln(\"a\")\n+\tprintln(\"b\")\n", "new": ""}},
		{"a bare diff", "but it is as the old side of this diff", object{"old": "-\tprintln(\"a\")\n+\tprintln(\"b\")", "new": "\tprintln(\"b\")"}},
		{"a list is no diff", "old is not found; the nearest is\n3: func main() {", object{"old": "- func main() {\n- nothing", "new": "x"}},
		{"typographic quotes", "it differs in characters that look alike only (line 4 has \" where old has \u201c (U+201C)); the nearest is\n4: \tprintln(\"a\")\n", object{"old": "\tprintln(\u201ca\u201d)", "new": "x"}},
		{"a letter and its accent apart", "it differs in characters that look alike only (line 2 has é (U+00E9) where old has e); the nearest is", object{"path": "short", "old": "two caf\u0065\u0301\u200b", "new": "x"}},
		{"empty", "old is empty, and the file is there", object{"old": "", "new": "x"}},
		{"no old", "old is missing", object{"new": "x"}},
		{"no new", "new is missing", object{"old": "x"}},
		{"both forms", "give either old and new, or edits, not both", object{"old": "a", "new": "b", "edits": []object{{"old": "a", "new": "b"}}}},
		{"an edit without new", "argument edits[0].new is missing; edit_file takes: path (a string, required), all (true or false), edits (a list of at most 100 objects with all, new, old)", object{"edits": []object{{"old": "a"}}}},
		{"the second of two", "edit 2 of 2: old is not found", object{"edits": []object{{"old": "func main", "new": "x"}, {"old": "func nine", "new": "y"}}}},
		{"two that overlap", "it replaces a part of line 3 that another edit replaces, too", object{"edits": []object{{"old": "func main", "new": "x"}, {"old": "main() {", "new": "y"}}}},
		{"not there", `no such file: "absent"; list_dir shows what there is; write_file makes a new one`, object{"path": "absent", "old": "a", "new": "b"}},
		{"elsewhere", `no such file: "main.go"; there is "src/main.go"; write_file makes a new one`, object{"path": "main.go", "old": "a", "new": "b"}},
		{"no text", "is not a text that edit_file can change", object{"path": "bin", "old": "a", "new": "b"}},
		{"what the encoding lacks", "is written in Windows-1252 (Latin-1), which lacks some of the new characters", object{"path": "latin", "old": "créée", "new": "世界"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("f", held)
			w.write("bin", "\x00\x01a")
			w.write("short", "one\ntwo café\ntwo")
			w.write("latin", encoded(t, latin1, "créée par les élèves\n"))
			before := tree(t, w.workspace)
			if c.args["path"] == nil {
				c.args["path"] = "f"
			}
			if got := w.call("edit_file", c.args); !got.Invalid || !strings.Contains(got.Text, c.want) {
				t.Errorf("got %+v\nwant %q", got, c.want)
			}
			if after := tree(t, w.workspace); len(after) != len(before) || after[filepath.Join(w.workspace, "f")] != held {
				t.Errorf("something has changed: %v", after)
			}
		})
	}
}

// An edit that succeeds is what strings.Replace makes, and one that fails leaves the file.
func TestEditsAreReplacements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letters := rapid.StringOf(rapid.RuneFrom([]rune("ab\né")))
		text, old, with := letters.Draw(rt, "text"), letters.Draw(rt, "old"), letters.Draw(rt, "new")
		got, err := replaced(text, []edit{{old: old, new: with}})
		n := 0 // places, of which some may overlap
		for at := range text {
			if strings.HasPrefix(text[at:], old) {
				n++
			}
		}
		switch {
		case n == 0 && err == nil && len((&edit{old: old, new: with}).indented(text)) == 1: // see TestTOL23AnEditMeansOneThing
		case old == "" || n != 1 || old == with:
			if err == nil && !(old == "" && text == "") {
				rt.Fatalf("%d places of %q in %q: %q", n, old, text, got)
			}
		case err != nil || got != strings.Replace(text, old, with, 1):
			rt.Fatalf("got %q, %v; want %q", got, err, strings.Replace(text, old, with, 1))
		}
	})
}

// The preview says the same as the result would, and writes nothing.
func TestAPreviewWritesNothing(t *testing.T) {
	w := newWorld(t)
	tools := w.tools()
	for name, args := range map[string]object{
		"write_file": {"path": "notes.txt", "content": "x\n"},
		"edit_file":  {"path": "notes.txt", "old": "alpha", "new": "omega"},
	} {
		raw, err := json.Marshal(args)
		w.must(err)
		call := callOf(name, string(raw))
		before, ok := tools.Preview(guard(t), call)
		w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
		if after := w.call(name, args); !ok || before != strings.Replace(after.Text, "wrote", "would write", 1) {
			t.Errorf("%s: the preview is %q, the result %q", name, before, after.Text)
		}
		w.write("notes.txt", "alpha\nbeta format\ngamma\n")
	}
	if _, ok := tools.Preview(guard(t), callOf("read_file", `{"path": "notes.txt"}`)); ok {
		t.Error("read_file has a preview")
	}
	if text, ok := tools.Preview(guard(t), callOf("edit_file", `{"path": "notes.txt", "old": "none of it", "new": ""}`)); !ok || !strings.Contains(text, "old is not found") {
		t.Errorf("a failure: %q, %v", text, ok)
	}
}

// APR-13, APR-21: a question about a change shows it, and a grant is about the file.
func TestAPR21AChangeIsShownBeforeItIsMade(t *testing.T) {
	w := newWorld(t)
	added, err := w.tools().Added()
	w.must(err)
	for _, a := range added {
		changes := a.Decl.Name == "write_file" || a.Decl.Name == "edit_file"
		if changes != (a.Preview != nil) || changes != (len(a.Decl.Subject) == 1 && a.Decl.Subject[0] == "path") {
			t.Errorf("%s has the subject %q, a preview: %t", a.Decl.Name, a.Decl.Subject, a.Preview != nil)
		}
		if a.Decl.Name == "edit_file" {
			if text := a.Preview(guard(t), `{"path": "notes.txt", "old": "alpha", "new": "omega"}`); !strings.Contains(text, "+omega") {
				t.Errorf("it shows %q", text)
			}
			w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
		}
	}
}
