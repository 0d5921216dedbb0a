package suite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// An editor makes several changes when it saves once; what comes closer than
// watchQuiet belongs together, but nothing waits for longer than watchPatience.
const (
	watchQuiet    = 50 * time.Millisecond
	watchPatience = time.Second
)

// changes are what has changed since the last round.
type changes struct {
	all   bool     // nobody knows what
	key   byte     // what was pressed; 0: nothing was, and files have changed
	paths []string // sorted
}

// wait returns the next changes.
func (w *caseWatch) wait(ctx context.Context) (c changes) {
	quiet, patience := time.NewTimer(watchQuiet), time.NewTimer(watchPatience)
	quiet.Stop()
	patience.Stop()
	keys := w.keys.Pressed()
	for first := true; ; {
		select {
		case <-ctx.Done():
			return c
		case e, ok := <-w.disk.Events:
			switch {
			case !ok:
				return changes{all: true}
			case e.Op == fsnotify.Chmod:
				continue // it says nothing of what is in the file
			}
			c.paths = append(c.paths, filepath.Clean(e.Name))
		case key, open := <-keys:
			if !open {
				w.keys.End()
				w.keys, keys = nil, nil
				continue
			}
			return changes{key: key}
		case <-w.disk.Errors: // too many changes at once
			c.all = true
		case <-quiet.C:
			slices.Sort(c.paths)
			c.paths = slices.Compact(c.paths)
			return c
		case <-patience.C:
			quiet.Reset(0)
			continue
		}
		if first {
			patience.Reset(watchPatience)
			first, keys = false, nil // what has changed is played first
		}
		quiet.Reset(watchQuiet)
	}
}

// follow watches the folders that are searched for scenarios. Folders that are gone
// are no longer watched by themselves, and watching one twice is watching it once.
func (w *caseWatch) follow() error {
	for _, pattern := range w.patterns() {
		root, follow := filepath.Clean(strings.TrimSuffix(pattern, "...")), w.below
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			root, follow = filepath.Dir(root), w.add // of a file, or of what is not there
		}
		if err := follow(root); err != nil {
			return err
		}
	}
	return nil
}

// followParts watches the folders of what the cases are made of beside their own
// files. What that is nobody knows of a file that does not load; but no fragment is
// elsewhere than below its folder (SCN-16).
func (w *caseWatch) followParts() error {
	for path, l := range w.loaded { // order-free: each folder is watched for itself
		if len(l.broken) > 0 {
			if err := w.below(filepath.Dir(path)); err != nil {
				return err
			}
		}
		for _, part := range l.parts() {
			if err := w.add(filepath.Dir(part)); err != nil {
				return err
			}
		}
	}
	return nil
}

// below watches a folder and those below it, but none that is hidden.
func (w *caseWatch) below(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it went meanwhile
			return nil
		case err != nil:
			return err
		case !entry.IsDir() && path != root:
			return nil
		case path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		return w.add(path)
	})
}

// add watches a folder, if there is one.
func (w *caseWatch) add(folder string) error {
	err := w.disk.Add(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s: %w: raise the system's limit, on Linux fs.inotify.max_user_watches", folder, err)
	}
	return err
}
