package lastrun

import (
	"fmt"
	"path/filepath"
	"testing"
)

// SCN-62: a case is known again whatever the names of its file and of the project are.
func TestSCN62ANameNeedNotBeUTF8(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := filepath.Join(t.TempDir(), "pro\xffject")
	file := filepath.Join(project, "a\xfe.scenario.yaml")
	r, err := Of(project)
	if err != nil {
		t.Fatal(err)
	}
	r.Played(Case{File: file, Name: "bad"}, true)
	r.Played(Case{File: file, Name: "gone"}, true)
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	if r, err = Of(project); err != nil || !r.Known || !r.Failed(file, "bad") || r.Failed(file, "good") {
		t.Fatalf("got %+v, %v; want the case that failed", r, err)
	}
	r.Loaded(file, []string{"bad"})
	if r.Failed(file, "gone") || !r.Failed(file, "bad") {
		t.Errorf("got %+v; want only the case that the file has", r)
	}
	if r.Played(Case{File: file, Name: "bad"}, false); r.Failed(file, "bad") {
		t.Error("a case that passed counts as failed")
	}
}

// Of too many cases that failed none is remembered: what is not known plays all of them again.
func TestSCN62TooManyFailuresAreNotRemembered(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	project := t.TempDir()
	for _, failed := range []int{1, failedMax, failedMax + 1, failedMax + 1, failedMax} {
		r, err := Of(project)
		if err != nil {
			t.Fatal(err)
		}
		r.failed = nil
		for i := range failed - 1 {
			r.failed = append(r.failed, Case{Name: fmt.Sprint(i)})
		}
		r.Played(Case{Name: "the last"}, true)
		if err := r.Save(); err != nil {
			t.Fatal(err)
		}
		if r, err = Of(project); err != nil || r.Known != (failed <= failedMax) || r.Known && len(r.failed) != failed {
			t.Errorf("%d failed: known %v, %d remembered, %v", failed, r.Known, len(r.failed), err)
		}
	}
}
