package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/runtime/descriptor"
	"shelly/runtime/tool/file/ignore"
)

// Bounds of a walk through folders.
const (
	walkMax    = 100_000 // entries looked at
	walkDepth  = 64      // nested folders
	searchTime = 20 * time.Second
)

// entry is an entry that a walk visits.
type entry struct {
	fs.DirEntry
	path    string // relative to the beginning of the walk, with slashes
	at      spot
	ignored bool // by a .gitignore, or it is git's own folder
}

// walk visits what is below a folder, in the order of names, each folder before its contents. It
// follows no symbolic links, and skips private folders.
type walk struct {
	t     *Tools
	ctx   context.Context
	visit func(e entry) bool // returns whether to enter it, if it is a folder
	depth int                // the most nested folders; the first is 1

	left  int  // entries that may still be looked at
	ended bool // stop was called
	why   string

	closed, deep int // folders that were not looked into: unreadable ones, and those below walkDepth
}

func (w *walk) stop(why string) { w.ended, w.why = true, why }

// from walks through an open folder.
func (w *walk) from(dir opened) error {
	w.left = walkMax
	var rules *ignore.Rules
	start := cmp.Or(dir.at.real, filepath.Join(w.t.real, dir.at.path))
	root, gone := w.t.workspace()
	if inside, err := filepath.Rel(w.t.real, start); err == nil && gone == nil && filepath.IsLocal(inside) {
		at := spot{root: root, path: ".", real: w.t.real}
		for part := range strings.SplitSeq(inside, "/") {
			if part == "." {
				break
			}
			rules = w.rules(rules, at)
			at = at.in(part)
		}
	}
	at := dir.at
	at.real = start
	return w.folder(dir.File, at, "", 1, rules)
}

// rules returns the rules of a folder and of those above it.
func (w *walk) rules(above *ignore.Rules, at spot) *ignore.Rules {
	f, err := descriptor.Get(w.ctx, at.in(".gitignore").open)
	if err != nil {
		return above
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return above
	}
	text, err := io.ReadAll(io.LimitReader(f, ignore.BytesMax+1)) // more, if there is more
	if err != nil {
		return above
	}
	return ignore.Parse(above, at.real, string(text))
}

func (w *walk) folder(f *os.File, at spot, below string, level int, rules *ignore.Rules) error {
	if w.ctx.Err() != nil {
		w.stop("it took too long")
		return nil
	}
	entries, err := f.ReadDir(w.left + 1)
	if err != nil && err != io.EOF {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	rules = w.rules(rules, at)
	for _, e := range entries {
		if w.ctx.Err() != nil { // many rules may take long for each of many entries
			w.stop("it took too long")
		}
		if w.left--; w.left < 0 {
			w.stop("there are too many files")
		}
		if w.ended {
			return nil
		}
		in := at.in(e.Name())
		if w.t.isPrivate(in.real) {
			continue
		}
		found := entry{e, path.Join(below, e.Name()), in, strings.EqualFold(e.Name(), ".git") || rules.Ignored(in.real, e.IsDir())}
		switch {
		case !w.visit(found) || w.ended || !e.IsDir() || level >= w.depth && w.depth < walkDepth:
		case level >= walkDepth:
			w.deep++
		default:
			w.into(found, level, rules)
		}
	}
	return nil
}

// into walks through a folder; an unreadable one is skipped and counted.
func (w *walk) into(e entry, level int, rules *ignore.Rules) {
	f, err := descriptor.Get(w.ctx, e.at.open)
	if err == nil {
		err = w.folder(f, e.at, e.path, level+1, rules)
		_ = f.Close()
	}
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist): // it has just been removed
	case w.ctx.Err() != nil:
		w.stop("it took too long")
	default:
		w.closed++
	}
}

// cut returns the last line of an incomplete result.
func (w *walk) cut(what string) string {
	if w.why == "" {
		return ""
	}
	return "[cut: " + what + ", since " + w.why + "; name a folder with path, or narrow it]"
}

// unseen returns a result with the folders that were not looked into, and why.
func (w *walk) unseen(text string) string {
	text = leftOut(text, w.closed, "folders not looked into, since they cannot be read")
	return leftOut(text, w.deep, fmt.Sprintf("folders not looked into, since they are more than %d deep", walkDepth))
}

// leftOut returns a result with a last line that counts what is not in it, if anything is not.
func leftOut(text string, n int, why string) string {
	if n == 0 {
		return text
	}
	return strings.TrimSuffix(text, "\n") + fmt.Sprintf("\n[%s: %d]", why, n)
}

// searching bounds the time of a call that may have to go through many files.
func (t *Tools) searching(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := cmp.Or(t.options.SearchTime, searchTime)
	return context.WithTimeout(ctx, limit)
}
