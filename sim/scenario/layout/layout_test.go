package layout

import (
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"

	"shelly/sim/strict"
)

// SCN-68: what a file is laid out as.
func TestSCN68KeysAreInOrderAndBlanksAreGone(t *testing.T) {
	for name, test := range map[string]struct{ from, to string }{ // order-free: each for itself
		"keys in order, with the comments right above them": {
			"# head\nname: x\n# what it expects\nexpect: {replies: [a]} # beside\nscenario: 1\n\n# talk\nbrain:\n  - says: a # one\n  # within\n  - says: b\n",
			"# head\nscenario: 1\n\nname: x\n# talk\nbrain:\n  - says: a # one\n  # within\n  - says: b\n# what it expects\nexpect: {replies: [a]} # beside\n",
		},
		"comments at the end": {
			"name: x\nscenario: 1\n# of the version\n\n# the end\n\n# of all\n",
			"scenario: 1\n# of the version\nname: x\n\n# the end\n\n# of all\n",
		},
		"blanks at line ends, empty lines, other line ends": {"scenario: 1  \r\n\r\n\r\nname: x\t\r\n\r\n", "scenario: 1\n\nname: x\n"},
		"a text keeps its blanks":                           {"scenario: 1\nname: |\n  a  \n\n\n  b\n", "scenario: 1\nname: |\n  a  \n\n\n  b\n"},
		"a text that looks like keys and comments":          {"expect: |\n  # no comment\n  name: y\nname: x\n", "name: x\nexpect: |\n  # no comment\n  name: y\n"},
		"an anchor stays before its aliases":                {"tools: &t {a: []}\nscenario: 1\nworld: *t\n", "tools: &t {a: []}\nscenario: 1\nworld: *t\n"},
		"a file on one line":                                {"{name: x, scenario: 1}\n", "{name: x, scenario: 1}\n"},
		"a key that is not known comes last":                {"later: 1\nscenario: 1\n", "scenario: 1\nlater: 1\n"},
		"a property":                                        {"name: x\nproperty: 1\n", "property: 1\nname: x\n"},
	} {
		got, err := Text([]byte(test.from))
		if err != nil || string(got) != test.to {
			t.Errorf("%s: got\n%q, want\n%q (%v)", name, got, test.to, err)
		}
	}
	for text, want := range map[string]string{"a: [": "2:1: unclosed [ or {", "": "is empty", "- a": "is a map"} { // order-free: each for itself
		if _, err := Text([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// holds fails t unless a file that is laid out says the same, and is then as it should be.
func holds(t *testing.T, name string, source []byte) {
	t.Helper()
	once, err := Text(source)
	if err != nil {
		return
	}
	root := parsed(t, source)
	if !bytes.Equal(once, source) && !same(root, strings.Split(unix(source), "\n"), once) {
		t.Errorf("%s says something else:\n%s", name, once)
	}
	if twice, err := Text(once); err != nil || !bytes.Equal(once, twice) {
		t.Errorf("%s is laid out in another way the second time (%v):\n%s\n\n%s", name, err, once, twice)
	}
}

// SCN-68: every file of the project says the same when it is laid out, and no more changes
// the second time.
func TestSCN68EveryFileOfTheProjectSaysTheSame(t *testing.T) {
	root := os.DirFS("../../..")
	n := 0
	err := fs.WalkDir(root, "scenarios", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		source, err := fs.ReadFile(root, path)
		n++
		holds(t, path, source)
		return err
	})
	if err != nil || n < 500 {
		t.Fatalf("got %d, %v; want at least 500", n, err)
	}
}

func FuzzSCN68LaidOutItSaysTheSame(f *testing.F) {
	for _, seed := range []string{
		"name: x\n# c\nscenario: 1\n", "a: |\n  b \n\n\n c: 1\nname: x", "a: \"b\n  c\"\nscenario: 1\n#x\n", "a: &a 1\nname: *a\n", "? a\n: b\nname: c\n", "{a: b,\n name: c}\n",
		"a:\n# c\n- b\nname: x\n", "a: b\n\n  c\nname: |+\n  x\n\n\n", "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nname: *c\n", "\ufeffname: x\nscenario: 1\n", "---\nname: x\nscenario: 1\n...\n", "name: x\nscenario: 1\n--- # c\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) { holds(t, "it", source) })
}

func parsed(t *testing.T, source []byte) *strict.Node {
	t.Helper()
	root, problem := strict.Parse(source, "the file", "")
	if problem != nil {
		t.Fatal(problem)
	}
	return root
}
