package scenario

import (
	"errors"
	"os"
	"testing"
	"unicode/utf8"
)

// Whatever the bytes are, loading them gives a scenario or an error with a place
// and words that can be shown, the same ones each time.
func FuzzLoad(f *testing.F) {
	fsys := os.DirFS("../../scenarios")
	files, err := Find(fsys, []string{"."})
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		source, err := readFile(fsys, file.Path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(source)
	}
	for _, seed := range []string{
		"", "- a", "a: &a [*a]", "<<: {a: 1}", "? [a]\n: b", "a: \"x", "scenario: 1\nname: x\nexpect: {replies: &r [*r]}",
		"scenario: 1\nname: x\n---\n", "\xff\xfe", "a\x1b", "%YAML 1.2\n---\na: 1", "scenario: !!int 1",
		"scenario: 1\nname: x\nalways: [{$literal: {a: .nan}}]", "scenario: 1\nname: x\nexpect: {trace: [{count: {of: {ask: a}, is: {}}}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		file, err := Parse("f.scenario.yaml", source)
		if err == nil {
			file.Plan()
			return
		}
		var load *LoadError
		if !errors.As(err, &load) || len(load.Problems) == 0 {
			t.Fatalf("error without problems: %v", err)
		}
		for _, p := range load.Problems {
			if p.Pos.Line < 1 && len(source) <= FileBytesMax || p.Text == "" {
				t.Errorf("problem without a place or words: %+v", p)
			}
		}
		for _, r := range load.Detail() {
			if r != '\n' && r != utf8.RuneError && printable(r) != r {
				t.Errorf("the error shows %U:\n%q", r, load.Detail())
				break
			}
		}
		if _, again := Parse("f.scenario.yaml", source); again == nil || again.Error() != err.Error() {
			t.Errorf("error %v, then %v", err, again)
		}
	})
}
