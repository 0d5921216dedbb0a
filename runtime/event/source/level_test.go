package source

import "testing"

// The root of all folders ends with the separator, unlike any other.
func TestEVT7TheRootIsAFolderLikeAnyOther(t *testing.T) {
	for _, c := range []struct {
		folder, dir string
		level       int
	}{{"/", "/", 1}, {"/", "/a", 2}, {"/", "/a/b", 3}, {"/a", "/a", 1}, {"/a", "/a/b", 2}, {"/a/b", "/a/b/c/d", 3}} {
		w := &watching{Files: Files{Folder: c.folder}}
		if got := w.level(c.dir); got != c.level {
			t.Errorf("%s in %s: level %d; want %d", c.dir, c.folder, got, c.level)
		}
		if !within(c.dir, c.folder) {
			t.Errorf("%s is not within %s", c.dir, c.folder)
		}
	}
	if within("/ab", "/a") {
		t.Error("/ab is within /a")
	}
}
