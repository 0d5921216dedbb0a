package source

import (
	"errors"
	"os"
)

// errReplaced is the error when a disk was mounted over a watched folder or taken away from it, or a
// folder above it was renamed. The system does not tell that: it goes on to watch the folder that was there.
var errReplaced = errors.New("another folder stands in the place of one that is watched")

// replaced reports whether another folder stands in the place of a watched one, or the watched one has
// gone. While a folder is watched the system keeps it, so that no other can look like it.
func (w *watching) replaced() bool {
	if now, err := os.Stat(w.Folder); err != nil || !os.SameFile(now, w.folders[w.Folder].is) {
		return true
	}
	for dir, was := range w.folders { // order-free: one is enough
		if dir == w.Folder {
			continue
		}
		if now, err := os.Lstat(dir); err == nil && !os.SameFile(now, was.is) { // of one that is gone a change tells
			return true
		}
	}
	return false
}
