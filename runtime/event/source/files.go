package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"shelly/fsm/wording"
	"shelly/runtime/event"
	"shelly/runtime/event/settle"
	"shelly/runtime/system"
	"shelly/runtime/tool/file/ignore"
)

// Bounds of a folder that is watched (EVT-7).
const (
	FoldersMax = 2_000   // folders that are watched at the same time
	entriesMax = 500_000 // entries that one scan looks at
	depthMax   = 64      // levels, with that of the folder itself

	entriesAtOnce = 1_000
)

// passing are the names of temporary files that programs make next to the files they write.
const passing = "*~\n*.swp\n*.swx\n.#*\n#*#\n.~lock.*\n*.part\n*.partial\n*.crdownload\n*.tmp\n4913\n"

// Files watches the files of a folder.
type Files struct {
	Folder    string   // absolute
	Recursive bool     // also watch the folders below it
	Ignore    []string // patterns as in a .gitignore, in addition to those of the folders
	Private   []string // folders that are not watched, absolute, by whatever links they are reached: shelly's own data

	Look <-chan time.Time // when it looks whether other folders stand in their places; nil: each minute
}

// Watch implements [event.Source].
func (f Files) Watch(ctx context.Context, to event.Sink) error {
	if f.Look == nil {
		minute := time.NewTicker(time.Minute)
		defer minute.Stop()
		f.Look = minute.C
	}
	for {
		if err := f.watch(ctx, to); !errors.Is(err, errReplaced) {
			return err
		}
	}
}

// watch watches the folders that are there now. The error is errReplaced if others have come in their
// places.
func (f Files) watch(ctx context.Context, to event.Sink) error {
	disk, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch files: %w", err)
	}
	defer disk.Close()
	w := &watching{
		Files: f, to: to, disk: disk,
		folders: map[string]place{}, names: newNames(), aside: map[string]bool{}, closed: map[string]bool{},
		own: ignore.Parse(nil, f.Folder, passing+strings.Join(f.Ignore, "\n")),
	}
	w.Private = slices.Clone(f.Private)
	if err := w.begin(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-disk.Events:
			if !open {
				return errors.New("the system has ended it")
			}
			if err := w.changed(ctx, e); err != nil {
				return err
			}
		case _, open := <-disk.Errors:
			if !open {
				return errors.New("the system has ended it")
			}
			if err := w.missed(ctx); err != nil {
				return err
			}
		case <-w.Look:
			if w.replaced() {
				return errReplaced
			}
		}
	}
}

// watching is a folder that is watched.
type watching struct {
	Files
	to      event.Sink
	disk    *fsnotify.Watcher
	own     *ignore.Rules
	folders map[string]place // the watched folders
	names   *names           // the files in them
	aside   map[string]bool  // the folders in them that are not meant to be watched
	closed  map[string]bool  // the folders in them that this user may not read
	left    int              // entries that a scan may still look at
	over    int              // folders beyond FoldersMax or depthMax
}

// place is a folder that is watched.
type place struct {
	rules *ignore.Rules // those in it
	is    fs.FileInfo
}

// begin watches the folder, and reports what has changed since changes were last told (EVT-8).
func (w *watching) begin(ctx context.Context) error {
	info, err := os.Stat(w.Folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s", w.Folder)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", w.Folder)
	}
	if err := w.resolve(); err != nil {
		return err
	}
	told := w.to.Told()
	w.left = entriesMax
	err = w.add(ctx, w.Folder, nil, 1, func(path string, e fs.DirEntry) {
		if e.IsDir() {
			return
		}
		if info, err := e.Info(); err == nil && changedAt(info) > told {
			w.to.File(path, settle.Written)
		}
	})
	if w.left < 0 {
		w.to.Lost() // something may have changed that the scan did not look at
	}
	if err == nil {
		w.say()
	}
	return err
}

// resolve finds the private folders below the watched one by their real paths. Below it no link is
// followed, so one comparison is enough.
func (w *watching) resolve() error {
	real, err := filepath.EvalSymlinks(w.Folder)
	if err != nil {
		return fmt.Errorf("the folder %s cannot be read: %w", w.Folder, err)
	}
	for i, private := range w.Private {
		if linked, err := filepath.EvalSymlinks(private); err == nil { // or there is none yet
			private = linked
		}
		if within(real, private) {
			return fmt.Errorf("%s is shelly's own data, which changes with each event: watch another folder", w.Folder)
		}
		if below, err := filepath.Rel(real, private); err == nil && filepath.IsLocal(below) {
			w.Private[i] = filepath.Join(w.Folder, below)
		}
	}
	return nil
}

// add watches a folder and, if Recursive, those below it. Files that appear while it scans are
// shown, reported, or both.
func (w *watching) add(ctx context.Context, dir string, above *ignore.Rules, level int, show func(string, fs.DirEntry)) error {
	if _, known := w.folders[dir]; level > depthMax || !known && len(w.folders) >= FoldersMax {
		w.over++
		w.aside[dir] = true
		return nil
	}
	open, err := w.open(dir)
	switch {
	case err == nil:
	case dir == w.Folder:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is gone already
	case errors.Is(err, fs.ErrPermission):
		w.closed[dir] = true // a lost+found must not hide all the others
		return nil
	default:
		return err
	}
	defer open.Close()
	rules := w.rules(above, dir)
	is, err := open.Stat()
	if err != nil {
		return err
	}
	w.folders[dir] = place{rules, is}
	fresh := w.names.begin(dir)
	delete(w.aside, dir)
	delete(w.closed, dir)
	for {
		entries, err := open.ReadDir(entriesAtOnce)
		if fresh { // otherwise changes that are announced next are not known yet
			for _, e := range entries {
				if !e.IsDir() {
					w.names.add(dir, e.Name())
				}
			}
		}
		if failed := w.entries(ctx, dir, entries, rules, level, show); failed != nil || err != nil || w.left < 0 {
			return failed
		}
	}
}

// open watches a folder, and opens it. Its errors name the folder.
func (w *watching) open(dir string) (*os.File, error) {
	err := w.disk.Add(dir)
	switch {
	case err == nil:
	case errors.Is(err, syscall.ENOSPC):
		return nil, fmt.Errorf("%s: the system watches no more folders; raise fs.inotify.max_user_watches", dir)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("the folder %s cannot be read: %w", dir, err)
	default:
		return nil, fmt.Errorf("the folder %s cannot be watched: %w", dir, err)
	}
	return os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
}

// entries handles some of a folder's entries.
func (w *watching) entries(ctx context.Context, dir string, entries []fs.DirEntry, rules *ignore.Rules, level int, show func(string, fs.DirEntry)) error {
	for _, e := range entries {
		if w.left--; w.left < 0 || ctx.Err() != nil {
			return nil
		}
		path := filepath.Join(dir, e.Name())
		switch {
		case w.leftOut(rules, path, e.IsDir()):
		case !e.IsDir():
			show(path, e)
		default:
			show(path, e)
			if err := w.add(ctx, path, rules, level+1, show); err != nil {
				return err
			}
		}
	}
	return nil
}

const rulesName = ".gitignore"

// rules returns the rules of a folder's .gitignore and of the folders above it.
func (w *watching) rules(above *ignore.Rules, dir string) *ignore.Rules {
	name := filepath.Join(dir, rulesName)
	f, _, err := system.Regular(name)
	if err != nil {
		return above
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, ignore.BytesMax))
	if err != nil {
		return above
	}
	return ignore.Parse(above, filepath.ToSlash(dir), string(text))
}

// ignored reports whether a path is left out.
func (w *watching) ignored(rules *ignore.Rules, path string, folder bool) bool {
	slashed := filepath.ToSlash(path)
	return filepath.Base(path) == ".git" || slices.Contains(w.Private, path) ||
		w.own.Ignored(slashed, folder) || rules.Ignored(slashed, folder)
}

// leftOut reports whether a path that exists is left out, and remembers such a folder: the system
// does not say of a path that is gone whether it was a folder.
func (w *watching) leftOut(rules *ignore.Rules, path string, folder bool) bool {
	out := w.ignored(rules, path, folder) || folder && !w.Recursive
	if out && folder {
		w.aside[path] = true
	}
	return out
}

// changed reports a change that the system has announced.
func (w *watching) changed(ctx context.Context, e fsnotify.Event) error {
	path := filepath.Clean(e.Name)
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	if path == w.Folder {
		if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			return fmt.Errorf("the folder %s is gone", w.Folder)
		}
		return nil
	}
	came := settle.Created
	if e.Has(fsnotify.Create) && w.names.add(dir, name) {
		came = settle.Written // in the place of another
	}
	if name == rulesName && !e.Has(fsnotify.Chmod) {
		if err := w.ruled(ctx, dir); err != nil {
			return err
		}
	}
	rules := w.folders[dir].rules
	switch {
	case e.Has(fsnotify.Create):
		info, err := os.Lstat(path)
		folder := err == nil && info.IsDir()
		switch { // what is gone already is announced as removed next, which together is nothing
		case w.leftOut(rules, path, folder):
		case folder:
			w.names.remove(dir, name)
			return w.came(ctx, path, rules)
		default:
			w.to.File(path, came)
		}
	case e.Has(fsnotify.Remove), e.Has(fsnotify.Rename):
		w.names.remove(dir, name)
		if w.aside[path] {
			delete(w.aside, path)
			return nil
		}
		if _, folder := w.folders[path]; folder || w.closed[path] {
			w.went(path)
			return nil
		}
		if !w.ignored(rules, path, false) {
			w.to.File(path, settle.Removed)
		}
	case e.Has(fsnotify.Chmod) && w.closed[path]:
		return w.came(ctx, path, rules) // it may be open now; nothing in it was ever reported
	case e.Has(fsnotify.Chmod):
		if info, err := os.Lstat(path); err == nil && !w.ignored(rules, path, info.IsDir()) {
			w.to.Touched(changedAt(info))
		}
	case e.Has(fsnotify.Write):
		if !w.ignored(rules, path, false) {
			w.to.File(path, settle.Written)
		}
	}
	return nil
}

// came watches a new folder, and reports what it holds already.
func (w *watching) came(ctx context.Context, dir string, above *ignore.Rules) error {
	w.left = entriesMax
	w.to.File(dir, settle.Came)
	err := w.add(ctx, dir, above, w.level(dir), func(path string, e fs.DirEntry) {
		what := settle.Created
		if e.IsDir() {
			what = settle.Came
		}
		w.to.File(path, what)
	})
	w.say()
	return err
}

// level returns how deep a folder is; the watched one is at level 1.
func (w *watching) level(dir string) int {
	below := strings.TrimPrefix(dir, strings.TrimSuffix(w.Folder, string(filepath.Separator)))
	if dir == w.Folder {
		return 1
	}
	return strings.Count(below, string(filepath.Separator)) + 1
}

// ruled applies the changed rules of a folder to it and to those below it.
func (w *watching) ruled(ctx context.Context, dir string) error {
	if w.over > 0 { // there may be room now for folders elsewhere
		dir = w.Folder
	}
	return w.again(ctx, dir)
}

// again watches anew a folder that is watched and those below it. What is not there any more or is left
// out is no longer watched.
func (w *watching) again(ctx context.Context, dir string) error {
	before := map[string]bool{}
	for folder := range w.folders { // order-free: all matching ones are moved
		if within(folder, dir) {
			before[folder] = true
			delete(w.folders, folder)
		}
	}
	if len(before) == 0 {
		return nil // it is gone already
	}
	w.forget(dir)
	w.left, w.over = entriesMax, 0
	err := w.add(ctx, dir, w.folders[filepath.Dir(dir)].rules, w.level(dir), func(string, fs.DirEntry) {})
	for folder := range before { // order-free: all that are left out now are removed
		if _, watched := w.folders[folder]; !watched {
			_ = w.disk.Remove(folder) // it may be gone already
			w.names.forget(folder)
		}
	}
	w.say()
	return err
}

// within reports whether a folder is dir or below it.
func within(folder, dir string) bool {
	return folder == dir || strings.HasPrefix(folder, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// went forgets a folder that is gone or renamed, with those below it. The names of its
// files are not known any more, so it is reported as one change.
func (w *watching) went(dir string) {
	for folder := range w.folders { // order-free: all matching ones are removed
		if within(folder, dir) {
			_ = w.disk.Remove(folder) // it may be gone already
			delete(w.folders, folder)
			w.names.forget(folder)
		}
	}
	w.forget(dir)
	maps.DeleteFunc(w.aside, func(folder string, _ bool) bool { return within(folder, dir) })
	w.to.File(dir, settle.Went)
	w.say()
}

// forget forgets which folders in dir may not be read, and whether dir may.
func (w *watching) forget(dir string) {
	maps.DeleteFunc(w.closed, func(folder string, _ bool) bool { return within(folder, dir) })
}

// missed handles a loss of changes: more has changed at once than the system can queue. Folders
// that appeared in the meantime are watched from now on, and those that are gone are forgotten.
func (w *watching) missed(ctx context.Context) error {
	w.to.Lost()
	w.names = newNames()
	return w.again(ctx, w.Folder)
}

// say reports how much is watched.
func (w *watching) say() {
	text := wording.Count(len(w.folders), "folder")
	if w.over > 0 {
		text += fmt.Sprintf("; %d more below them, or more than that, are not watched", w.over)
	}
	if len(w.closed) > 0 {
		text += fmt.Sprintf("; %d below them cannot be read, such as %s", len(w.closed), slices.Min(slices.Collect(maps.Keys(w.closed))))
	}
	w.to.Seen(text)
}
