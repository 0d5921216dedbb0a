package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
	"shelly/runtime/store/salvage"
)

// Wreck is what can be read of a damaged store (JRN-32). It changes nothing.
type Wreck struct {
	Damage []string // the places that are not as they were written

	dir    string
	lock   *folderLock
	found  *salvage.Found
	anchor *anchor // the content of the file; nil: none
}

// Salvage opens what there is of a store for reading, however damaged. While it is open no other
// process writes. The error may be ErrLocked or ErrNewerFormat, or an ErrCorrupt if nothing is
// left.
func Salvage(ctx context.Context, dir string, o Options) (w *Wreck, err error) {
	o = o.withDefaults()
	if _, err := o.FS.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, gone(dir, "nothing is left of the store to repair")
	}
	w = &Wreck{dir: dir}
	if w.lock, err = shareFolder(o.FS, dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if _, err := survey(o.FS, dir); err != nil && !errors.Is(err, ErrCorrupt) {
		return w, err
	}
	folder, err := files.List(o.FS, dir)
	if err != nil {
		return w, err
	}
	if len(folder.Tables)+len(folder.Logs) == 0 {
		return w, gone(dir, "nothing is left of the store to repair")
	}
	if err := w.readAnchor(o.FS); err != nil {
		return w, err
	}
	w.found, err = salvage.Read(ctx, o.FS, dir, salvage.Options{
		Once: writtenOnce, Version: uint64(databaseFormat), Lock: w.lock.Lock, Logger: o.Logger,
	})
	if err != nil {
		return w, fmt.Errorf("read the damaged store: %w", classify(err))
	}
	for _, text := range w.found.Damage {
		name, _, _ := strings.Cut(text, " ")
		name = strings.TrimSuffix(name, "*")
		told := slices.ContainsFunc(w.Damage, func(o string) bool { return strings.HasPrefix(o, name) })
		if !told || strings.Contains(text, " at byte ") {
			w.Damage = append(w.Damage, text)
		}
	}
	return w, nil
}

// readAnchor reads the anchor, and notes which files are not as it says.
func (w *Wreck) readAnchor(disk vfs.FS) (err error) {
	w.anchor, err = readAnchor(disk, w.dir)
	if errors.Is(err, ErrCorrupt) {
		w.Damage = append(w.Damage, "the file "+anchorName)
		return nil
	}
	if err != nil {
		return err
	}
	closed := &Store{dir: w.dir, fs: disk, anchor: w.anchor}
	list, err := closed.brokenSeal()
	w.Damage = append(w.Damage, list...)
	return err
}

// Close unlocks the folder and closes the files.
func (w *Wreck) Close() (err error) {
	if w.found != nil {
		err = w.found.Close()
	}
	return errors.Join(err, w.lock.Close())
}

// writtenOnce reports whether the value under a key never changes.
func writtenOnce(key []byte) bool {
	switch key[0] {
	case kindRecord, kindRequestAt, kindMessage, kindAudit, kindAuditOf:
		return true
	case kindArchive:
		return numberOf(key) > 0
	}
	return false
}
