package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"shelly/fsm/wording"
	"shelly/runtime/tool/file/change"
	"shelly/runtime/tool/file/charset"
)

// ErrNotUndone is the error for a change that cannot be undone.
var ErrNotUndone = errors.New("not undone")

// Undo undoes a change of the log (TOL-27): the file gets its old content back, or is removed if
// there was none, with the folders that were made for it and are empty now. If the file is as it was
// before, only the record is changed. Undo refuses, and changes nothing, if the file is neither so nor
// as the change left it, or if the old content was not kept. Errors are [ErrNotUndone] or those of the file system.
func Undo(ctx context.Context, log *change.Log, e *change.Entry) error {
	unlock, err := log.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := e.Renew(); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w: its record is not kept any more", wording.Path(e.Path()), ErrNotUndone)
	} else if err != nil {
		return err
	}
	p, err := undoable(e)
	if err != nil {
		return err
	}
	if p != nil {
		defer p.root.Close()
		err = p.restore(e)
	}
	if err == nil && e.Before == "" {
		err = unmade(e.Record)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", wording.Path(e.Path()), err)
	case p == nil && e.State == change.Started: // it was not made
		return e.Drop()
	}
	return e.Undo()
}

// restore gives a file its old content back, or removes it if there was none.
func (p *place) restore(e *change.Entry) error {
	if e.Before == "" {
		if err := p.root.Remove(e.Name); err != nil {
			return err
		}
		return syncFolder(p.root, ".")
	}
	before, err := e.Content()
	if err == nil {
		_, err = p.replace(e.Temp, before)
	}
	return err
}

// unmade removes the folders that were made for a change and are empty, from the innermost on. Only
// a folder that something else is in, or that is none any more, stays.
func unmade(r change.Record) error {
	for at := r.Folder; r.Made > 0; at, r.Made = filepath.Dir(at), r.Made-1 {
		above, err := without(filepath.Dir(at))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		info, err := above.Lstat(filepath.Base(at))
		if errors.Is(err, fs.ErrNotExist) {
			_ = above.Close() // it was only read
			continue
		}
		kept := err != nil || !info.IsDir() || above.Remove(filepath.Base(at)) != nil
		if kept {
			return above.Close()
		}
		if err := errors.Join(syncFolder(above, "."), above.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Undoable returns why a change cannot be undone, or nil.
func Undoable(e *change.Entry) error {
	p, err := undoable(e)
	if p != nil {
		err = p.root.Close()
	}
	return err
}

// undoable opens the place of a change that can be undone. It returns nil if the file is as it was
// before: a crash has come before the change or after it was undone, or somebody else has undone it.
// A new file that is gone may be elsewhere, unless it is not known to have been made.
func undoable(e *change.Entry) (*place, error) {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrNotUndone, fmt.Sprintf(format, args...))
	}
	if e.State == change.Undone {
		return nil, refuse("it has been undone already")
	}
	switch now, err := hashOf(e.Folder, e.Name); {
	case err == nil && now == e.Before && (now != "" || e.State == change.Started):
		return nil, nil
	case e.Before != "" && !e.Kept:
		return nil, refuse("what %s held was too large to be kept", wording.Path(e.Path()))
	}
	root, err := without(e.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse("%s is gone", wording.Path(e.Folder))
	}
	if err != nil {
		return nil, err
	}
	now, err := root.Lstat(e.Name)
	var held []byte
	var info fs.FileInfo
	if err == nil && now.Mode().IsRegular() {
		held, info, err = heldIn(root, e.Name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = refuse("%s is gone", wording.Path(e.Path()))
	case err == nil && !now.Mode().IsRegular():
		err = refuse("%s is not a regular file any more", wording.Path(e.Path()))
	case err == nil && change.Hash(held) != e.After:
		err = refuse("%s has been changed since", wording.Path(e.Path()))
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &place{root: root, folder: ".", name: e.Name, real: e.Folder, shown: e.Path(), info: info, held: held}, nil
}

// Diff returns what a change did to its file, as far as that is kept.
func Diff(e *change.Entry) string {
	root, err := without(e.Folder)
	if err != nil {
		return ""
	}
	defer root.Close()
	after, _, err := heldIn(root, e.Name)
	if err != nil || change.Hash(after) != e.After {
		return ""
	}
	before, err := e.Content()
	if err != nil && e.Before != "" {
		return ""
	}
	return diffOf(shownIn(before), shownIn(after))
}

// shownIn returns the text in a file, or its bytes if that is none.
func shownIn(held []byte) string {
	text, err := charset.Decode(held)
	if err != nil {
		return string(held)
	}
	return text.Text
}
