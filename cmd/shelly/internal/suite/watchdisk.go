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

// An editor makes several changes for one save. Changes closer together than watchQuiet count as
// one, but a change never waits longer than watchPatience.
const (
	watchQuiet    = 50 * time.Millisecond
	watchPatience = time.Second
)

// changes are what has changed since the last round.
type changes struct {
	all   bool     // unknown which: anything may have changed
	key   byte     // the pressed key; 0: files have changed
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
				continue // it does not change the content of a file
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
			first, keys = false, nil // changes are played before further keys
		}
		quiet.Reset(watchQuiet)
	}
}

// follow watches the folders that are searched for scenarios. Removed folders drop out by
// themselves, and watching a folder twice has no effect.
func (w *caseWatch) follow() error {
	for _, pattern := range w.patterns() {
		root, follow := filepath.Clean(strings.TrimSuffix(pattern, "...")), w.below
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			root, follow = filepath.Dir(root), w.add // for a file, or for what does not exist
		}
		if err := follow(root); err != nil {
			return err
		}
	}
	return nil
}

// followParts watches the folders of the other files that the cases consist of. For a file that
// does not load these are unknown, but fragments are only in its folder or below it (SCN-16).
func (w *caseWatch) followParts() error {
	for path, l := range w.loaded { // order-free: each folder is watched separately
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

// below watches a folder and those in it, except hidden ones. The folder may be a link, as where cases are searched for.
func (w *caseWatch) below(root string) error {
	return fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed in between
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case path != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		return w.add(filepath.Join(root, path))
	})
}

// add watches a folder, if it exists.
func (w *caseWatch) add(folder string) error {
	err := w.disk.Add(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s: %w; raise the system's limit, on Linux fs.inotify.max_user_watches", folder, err)
	}
	return err
}
