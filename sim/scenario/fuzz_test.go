package scenario

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"shelly/fsm/wording"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// seeds are the project's scenarios, and files that are odd in one way each.
func seeds(f *testing.F) []string {
	fsys := os.DirFS("../../scenarios")
	files, err := choose.Find(fsys, []string{"."})
	if err != nil {
		f.Fatal(err)
	}
	var list []string
	for _, file := range files {
		source, err := strict.ReadFile(fsys, file.Path, strict.FileBytesMax)
		if err != nil {
			f.Fatal(err)
		}
		list = append(list, string(source))
	}
	const head = "scenario: 1\nname: x\nexpect: {ends: serving}\n"
	return append(list,
		"", "- a", "a: &a [*a]", "<<: {a: 1}", "? [a]\n: b", "a: \"x", "scenario: 1\nname: x\nexpect: {replies: &r [*r]}",
		"scenario: 1\nname: x\n---\n", "\xff\xfe", "a\x1b", "%YAML 1.2\n---\na: 1", "scenario: !!int 1",
		"scenario: 1\nname: x\nalways: [{$literal: {a: .nan}}]", "scenario: 1\nname: x\nexpect: {trace: [{count: {of: {ask: a}, is: {}}}]}",
		head+"include: part.yaml\ntags: [a]\n", head+"include: [part.yaml, sub/part.yaml]\ntools: {t: []}\n", head+"include: &i [*i]\n", head+"include: ../x\n",
		head+"vars: {a: 1, b: [x], c: {d: e}}\nbrain: [{says: \"${a} $${b} ${c}\"}, {calls: \"${b}\"}]\n", head+"vars: &v {a: *v}\nmemory_file: ${a}\n",
		head+"matrix: {a: [1, x], b: [[y], {c: d}]}\nworld: {w: \"${a}\", v: \"${b}\"}\n", head+"matrix:\n  - {a: 1}\n  - {a: 2}\nmemory_file: x ${a}\n",
		head+"vars: {a: x}\nmatrix: {a: [1]}\n", head+"matrix: &m [*m]\n", head+"memory_file: |\n  ${a}\n  ${\n", head+"memory_file: \"\\x24{a}\"\n",
	)
}

// Whatever the bytes of a file and of a fragment that it may include are, loading
// them gives cases or an error with places and words that can be shown, the same ones
// each time.
func FuzzLoad(f *testing.F) {
	fragments := []string{"vars: {a: 1}\ntags: [b]\ntools: {u: []}\nnever: [{tool: u}]\n", "include: sub/part.yaml\n", "scenario: 1\n", "- a", "a: &a [*a]", "tags: [a\n", ""}
	for i, source := range seeds(f) {
		f.Add([]byte(source), []byte(fragments[i%len(fragments)]))
	}
	f.Fuzz(func(t *testing.T, source, fragment []byte) {
		fsys := fstest.MapFS{
			"x/f.scenario.yaml": {Data: source}, "x/part.yaml": {Data: fragment}, "x/sub/part.yaml": {Data: []byte("include: ../part.yaml\n")},
			"x/link.yaml": {Data: []byte("part.yaml"), Mode: fs.ModeSymlink},
		}
		cases, err := Load(fsys, "x/f.scenario.yaml")
		if err == nil {
			if len(cases) == 0 || len(cases) > document.CasesPerFileMax {
				t.Fatalf("%d cases", len(cases))
			}
			for _, c := range cases[:min(len(cases), 10)] {
				c.Plan()
			}
		} else {
			wellToldOf(t, err, fsys)
		}
		again, second := Load(fsys, "x/f.scenario.yaml")
		same := len(again) == len(cases) && (err == nil) == (second == nil) && (err == nil || second.Error() == err.Error())
		if !same || !slices.EqualFunc(cases, again, func(a, b *File) bool { return a.Name == b.Name }) {
			t.Errorf("%d cases and error %v, then %d and %v", len(cases), err, len(again), second)
		}
	})
}

// wellToldOf checks the places and words of an error.
func wellToldOf(t *testing.T, err error, fsys fstest.MapFS) {
	t.Helper()
	var load *strict.Error
	if !errors.As(err, &load) || len(load.Problems) == 0 {
		t.Fatalf("error without problems: %v", err)
	}
	for _, p := range load.Problems {
		file := fsys[p.Pos.In(load.File)]
		switch {
		case p.Text == "" || file == nil:
			t.Errorf("problem without words or file: %+v", p)
		case p.Pos.Line < 1 && len(file.Data) <= strict.FileBytesMax, p.Pos.Line > strings.Count(string(file.Data), "\n")+2+strings.Count(string(file.Data), "\r"):
			t.Errorf("problem without a place: %+v", p)
		}
	}
	for _, r := range load.Detail() {
		if r != '\n' && r != utf8.RuneError && wording.Printable(r) != r {
			t.Errorf("the error shows %U:\n%q", r, load.Detail())
			break
		}
	}
}

// Reading cases does not change the nodes of the file, which they share.
func FuzzNodesStayAsTheyAre(f *testing.F) {
	for _, source := range seeds(f) {
		f.Add([]byte(source))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		var before, after []string
		_, _ = document.Load(nil, "f.scenario.yaml", source, func(c *document.Case, d *strict.Decoder) *format.File {
			if before == nil {
				before = nodesOf(c.Root())
			}
			f := format.Read(c, d)
			after = nodesOf(c.Root())
			return f
		}, func(*format.File) []strict.Problem { return nil })
		if !slices.Equal(before, after) {
			t.Errorf("nodes %q, then %q", before, after)
		}
	})
}

// nodesOf are the nodes of a tree in its order, each as a text.
func nodesOf(n *strict.Node) []string {
	list := []string{n.String() + " " + n.Value}
	for _, inner := range n.Content {
		list = append(list, nodesOf(inner)...)
	}
	return list
}
