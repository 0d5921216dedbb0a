package main

import (
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// SIM-12: every canary has its place in the current code. A change that removes the place is thus
// noticed long before the canaries are built.
func TestEachCanaryHasItsPlace(t *testing.T) {
	canaries, err := read(testdata)
	if err != nil {
		t.Fatal(err)
	}
	if len(canaries) < 16 {
		t.Errorf("%d canaries, want at least 16", len(canaries))
	}
	if _, err := changed(os.DirFS("../.."), canaries); err != nil {
		t.Error(err)
	}
}

// A test that wakes canaries and is not found would never run.
func TestTheTestsOfCanariesAreFound(t *testing.T) {
	found, err := tests(fstest.MapFS{
		"runtime/a/b_test.go": {Data: []byte(tag + "\npackage a\n")},
		"sim/c_test.go":       {Data: []byte("package sim\n")},
		"sim/d.go":            {Data: []byte(tag + "\npackage sim\n")},
	})
	if want := map[string]string{"runtime/a/b_test.go": "\npackage a\n"}; err != nil || !maps.Equal(found, want) {
		t.Errorf("got %q, %v; want %q", found, err, want)
	}
}

func TestCanariesAreEditsOfTheText(t *testing.T) {
	project := fstest.MapFS{"a.go": {Data: []byte("one two three two four")}}
	for _, c := range []struct {
		name, edits, want, wrong string
	}{
		{"two edits", "-- old a.go --\nthree\n-- new a.go --\n3\n-- old a.go --\none\n-- new a.go --\n1", "1 two 3 two four", ""},
		{"a text that is gone", "-- old a.go --\nfive\n-- new a.go --\n5", "", "has the old text 0 times"},
		{"a text that is there twice", "-- old a.go --\ntwo\n-- new a.go --\n2", "", "has the old text 2 times"},
		{"one text twice", "-- old a.go --\none two\n-- new a.go --\n12\n-- old a.go --\none\n-- new a.go --\n1", "", "two canaries replace the same text"},
		{"a file that is gone", "-- old b.go --\none\n-- new b.go --\n1", "", "file does not exist"},
		{"no new text", "-- old a.go --\none", "", "must have pairs"},
		{"a new text elsewhere", "-- old a.go --\none\n-- new b.go --\n1", "", "must have pairs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			canaries, err := read(fstest.MapFS{"testdata/machine/bug.txtar": {Data: []byte("What it is.\n\n" + c.edits)}})
			var texts map[string]string
			if err == nil {
				texts, err = changed(project, canaries)
			}
			switch {
			case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), "bug.txtar: ") && !strings.Contains(err.Error(), "a.go: ") || !strings.Contains(err.Error(), c.wrong)):
				t.Errorf("the error is %v", err)
			case c.wrong == "" && (err != nil || texts["a.go"] != c.want):
				t.Errorf("the file is %q, %v", texts["a.go"], err)
			}
		})
	}
}
