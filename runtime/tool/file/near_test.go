package file

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTOL12AMissingFileNamesNearOnes(t *testing.T) {
	w := newWorld(t)
	w.write("deep/er/main.go", "package deep\n")
	w.write(".git/main.go", "hidden\n")
	w.symlink("nowhere", "dangling")
	w.options.Private = []string{w.workspace + "/build"}
	for path, want := range map[string]string{
		"note.txt":               `no such file or folder: "note.txt"; there is "notes.txt"`,
		"NOTES.TXT":              `; there is "notes.txt"`,
		"src/utils.py":           `; there is "src/util.py"`,
		"main.go":                `; there is "src/main.go", "deep/er/main.go"`,
		"wrong/Util.py":          `; there is "src/util.py"`,
		w.workspace + "/main.go": `; there is "src/main.go", "deep/er/main.go"`,
		"tmp.o":                  "; list_dir shows what there is", // it is private
		"canary.txt":             "; list_dir shows what there is", // a link leads to it
		"%2e%2e/x":               "; list_dir shows what there is",
		"dangling":               `"dangling" is a symbolic link that leads to nothing`,
		" notes.txt ":            `; there is "notes.txt"`,
		"`src/main.go`":          `no such file or folder: "` + "`src/main.go`" + `"; there is "src/main.go"`,
		`"src/main.go"`:          `; there is "src/main.go"`,
		`src\main.go`:            `; there is "src/main.go"`,
		"~/src/main.go":          `; there is "src/main.go"`,
		"src/main.go:7:2":        `; there is "src/main.go"`,
		"workspace/src/main.go":  `; there is "src/main.go"`,
		"/src/main.go":           `"/src/main.go" is outside the workspace; there is "src/main.go" in it`,
		"/home/ann/app/src":      `is outside the workspace; there is "src" in it`,
		"file:///repo/notes.txt": `; there is "notes.txt"`,
		"/repo/build/tmp.o":      "give a path relative to the workspace, such as . or notes.txt",
		"/repo/link_out":         "give a path relative to the workspace, such as . or notes.txt",
		"../../src/../..":        "give a path relative to the workspace, such as . or notes.txt",
	} {
		got := w.call("read_file", map[string]any{"path": path})
		if !got.Invalid || !strings.HasSuffix(got.Text, want) {
			t.Errorf("%s: %+v, want %q", path, got, want)
		}
	}
	if got := w.call("list_dir", map[string]any{"path": "source"}); !got.Invalid || !strings.HasPrefix(got.Text, "no such file or folder") {
		t.Errorf("list_dir: %+v", got)
	}
}

// However large the workspace, the search is bounded.
func TestNearFilesAreLookedForInBounds(t *testing.T) {
	w := newWorld(t)
	for n := range 40 {
		for m := range 5 {
			w.write(fmt.Sprintf("d%02d/f%d.txt", n, m), "")
		}
	}
	tools := w.tools()
	var found []string
	look := lookup{t: tools, ctx: guard(t), left: 60, add: func(name string) bool { found = append(found, name); return true }}
	look.named("f4.txt", "f4.txt")
	if look.left != 0 || len(found) == 0 || len(found) > 12 {
		t.Errorf("left %d, found %v", look.left, found)
	}
}

// A letter and its accent may be one character or two: nobody sees which, and most models can write only one.
func TestTOL3ANameThatLooksTheSameIsTheSame(t *testing.T) {
	const composed, apart = "caf\u00e9", "cafe\u0301"
	for _, everywhere := range []bool{false, true} {
		w := newWorld(t)
		w.options.Everywhere = everywhere
		w.write(apart+"/"+apart+".txt", "one\n")
		w.write("both/"+apart, "apart\n")
		w.write("both/"+composed, "composed\n")
		w.write("private/"+apart, secret)
		w.write("../outside/"+apart, secret)
		w.options.Private = []string{w.workspace + "/private"}
		w.fifo("fifo")
		for path, want := range map[string]string{
			composed + "/" + composed + ".txt":                      "one\n",
			w.workspace + "/" + composed + "/" + apart + ".txt":     "one\n",
			"./" + composed + "/../" + composed + "/cafe\u0301.txt": "one\n",
			"both/" + apart:    "apart\n",
			"both/" + composed: "composed\n",
		} {
			if got := w.call("read_file", map[string]any{"path": path}); got.Text != want {
				t.Errorf("%q: %+v; want %q", path, got, want)
			}
		}
		mixture := composed + "/" + apart + ".txt"
		if got := w.call("write_file", map[string]any{"path": mixture, "content": "two"}); !got.Failed || !strings.Contains(got.Text, "in two forms") {
			t.Errorf("written as a mixture: %+v", got)
		}
		for path, want := range map[string]string{
			"private/" + composed:        "belongs to the agent itself",
			composed + "/na\u00efve.txt": "no such file",
			"fifo/" + composed:           "leads through a file",
		} {
			if got := w.call("read_file", map[string]any{"path": path}); !got.Invalid || !strings.Contains(got.Text, want) {
				t.Errorf("%q: %+v; want %q", path, got, want)
			}
		}
		if got := w.call("read_file", map[string]any{"path": "link_out/" + composed}); !everywhere && (!got.Invalid || strings.Contains(got.Text, secret)) {
			t.Errorf("outside: %+v", got)
		}
		if got := w.call("write_file", map[string]any{"path": composed + "/" + composed + ".txt", "content": "two\n"}); got.Failed || !strings.HasPrefix(got.Text, "wrote ") {
			t.Errorf("write_file: %+v", got)
		}
		w.holds(apart+"/"+apart+".txt", "two\n")
		if got := w.call("write_file", map[string]any{"path": composed + "/new.txt", "content": "x"}); got.Failed {
			t.Errorf("write_file in the folder: %+v", got)
		}
		w.holds(apart+"/new.txt", "x")
		if got := w.call("list_dir", map[string]any{"path": composed}); got.Failed || !strings.Contains(got.Text, "new.txt") {
			t.Errorf("list_dir: %+v", got)
		}
	}
}

// Whether a name is the only one is known only when all have been read.
func TestTOL3ANameThatLooksTheSameIsFoundInALargeFolder(t *testing.T) {
	const files, forms = 2 * entriesReadMax, 30
	dir := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		name := fmt.Sprint(i)
		if i%(files/forms) == 0 {
			name = "cafe\u0301" + name
		}
		write(name)
	}
	s := spot{path: dir}
	for i := 0; i < files; i += files / forms {
		if want, got := fmt.Sprint("cafe\u0301", i), s.sameName(fmt.Sprint("caf\u00e9", i)); got != want {
			t.Errorf("got %+q; want %+q", got, want)
		}
	}
	for _, form := range []string{"a\u0306\u0301", "\u0103\u0301"} {
		write(form)
	}
	if got := s.sameName("\u1eaf"); got != "" {
		t.Errorf("one of two is taken: %+q", got)
	}
}
