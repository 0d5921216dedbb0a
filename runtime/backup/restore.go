package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/datafolder"
	"shelly/runtime/durable"
	"shelly/runtime/store"
	"shelly/runtime/tarfile"
)

// restoreFolder is where a backup is unpacked in the data folder. In it, newFolder holds what will
// be moved into place, and readyName, once it exists, says that it may be.
const (
	restoreFolder = "restore.tmp"
	newFolder     = "new"
	readyName     = "ready"
	asideLayout   = "before-restore-20060102T150405Z"
)

// Options says how to restore.
type Options struct {
	Force bool // move existing data aside
	Now   func() time.Time
}

// Restored is the result of a restore.
type Restored struct {
	Manifest
	Aside     string // the folder that now holds what was there before; "": there was nothing
	Diverging int    // records that today's code decides differently (JRN-6)
}

// Restore puts a backup into a data folder, which it makes if it is missing (JRN-25). It changes
// nothing in the folder before the whole backup is checked, and deletes nothing. If ctx ends before
// that, nothing is changed. The error may wrap ErrOccupied, ErrDamaged, ErrNewer, store.ErrNewerFormat or engine.ErrNewer if newer code
// made it, or store.ErrLocked if a daemon or another restore uses the folder.
func Restore(ctx context.Context, r io.Reader, data string, o Options) (out Restored, err error) {
	out.Aside, err = Exchange(data, o.Now().UTC().Format(asideLayout), func(dir string) (err error) {
		if err := admit(data, o.Force); err != nil {
			return err
		}
		if out.Manifest, err = Unpack(tarfile.While(ctx, r), dir); err != nil {
			return err
		}
		if out.Diverging, err = prove(ctx, filepath.Join(dir, storeFolder), out.Manifest); err != nil {
			return err
		}
		return errors.Join(ctx.Err(), admit(data, o.Force)) // again: unpacking took a while
	})
	return out, err
}

// Exchange replaces the folders of a data folder by those that fill makes in a new folder, dir. It
// makes the data folder if it is missing. What was there is moved into a folder with the name
// aside, or one like it, whose path is returned; "": there was nothing. After a crash or an error
// the data folder holds either what was there or what fill made. The error may wrap store.ErrLocked
// if a daemon or another exchange uses the folder, or datafolder.ErrForeign.
func Exchange(data, aside string, fill func(dir string) error) (moved string, err error) {
	if err := datafolder.Own(data); err != nil {
		return "", err
	}
	work := filepath.Join(data, restoreFolder)
	if err := prepare(work); err != nil {
		return "", fmt.Errorf("cannot write into the data folder: %w%s", err, store.Advice(err))
	}
	lock, err := store.Lock(work)
	if err != nil {
		return "", err
	}
	defer func() {
		if !isPending(data) {
			err = errors.Join(err, os.RemoveAll(work))
		}
		err = errors.Join(err, lock.Close())
	}()
	if _, err := finish(data); err != nil {
		return "", err
	}
	if err := fill(filepath.Join(work, newFolder)); err != nil {
		return "", err
	}
	aside = unused(filepath.Join(data, aside))
	if err := declare(work, ready{Aside: filepath.Base(aside)}); err != nil {
		return "", err
	}
	if _, err = finish(data); errors.Is(err, store.ErrLocked) {
		// A daemon has started in the meantime: it keeps its data.
		err = errors.Join(err, os.Remove(filepath.Join(work, readyName)))
	}
	if _, none := os.Lstat(aside); none == nil {
		moved = aside
	}
	return moved, err
}

// prepare makes the work folder and, if it is missing, the data folder around it, durably.
func prepare(work string) error {
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	data := filepath.Dir(work)
	return errors.Join(durable.Folder(data), durable.Folder(filepath.Dir(data)))
}

// admit returns an error if there is data that must stay.
func admit(data string, force bool) error {
	occupied := false
	for _, folder := range []string{storeFolder, memoryFolder} {
		entries, err := os.ReadDir(filepath.Join(data, folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		occupied = occupied || len(entries) > 0
	}
	if !occupied {
		return nil
	}
	if err := unlocked(filepath.Join(data, storeFolder)); err != nil {
		return err
	}
	if !force {
		return fmt.Errorf("%w: %s", ErrOccupied, data)
	}
	return nil
}

// unlocked returns an error if a process uses the store in dir.
func unlocked(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := store.Lock(dir)
	if err != nil {
		return err
	}
	return lock.Close()
}

// Unpack checks a backup and writes its files, durably, into a folder laid out like a data folder.
// After an error the content of the folder is unusable.
func Unpack(r io.Reader, to string) (m Manifest, err error) {
	for _, folder := range []string{storeFolder, memoryFolder} {
		if err := os.MkdirAll(filepath.Join(to, folder), 0o700); err != nil {
			return m, err
		}
	}
	m, err = read(r, func(name string, content io.Reader) (err error) {
		f, err := os.OpenFile(filepath.Join(to, filepath.FromSlash(name)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if _, err = io.Copy(f, content); err == nil {
			err = f.Sync()
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		return m, err
	}
	return m, errors.Join(durable.Folder(filepath.Join(to, storeFolder)), durable.Folder(filepath.Join(to, memoryFolder)), durable.Folder(to))
}

// prove reads all of an unpacked store and folds its journal, as a start will, and anchors its end
// (JRN-31). This upgrades a store that an older shelly made.
func prove(ctx context.Context, dir string, m Manifest) (diverging int, err error) {
	s, err := OpenUnpacked(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := examine(ctx, s); err != nil {
		return 0, damaged("%w", err)
	}
	r, err := engine.Recover(s)
	switch {
	case errors.Is(err, engine.ErrNewer):
		return 0, err
	case err != nil:
		return 0, damaged("%w", err)
	case s.Name() != m.Store:
		return 0, damaged("its store is %s, but the manifest says %q", s.Name(), m.Store)
	case r.Last != m.Last:
		return 0, damaged("its journal ends with record %d, but the manifest says %d", r.Last, m.Last)
	}
	return len(r.Diverging), s.Rest() // or a log that is cut before the first start would look like a whole one
}

// OpenUnpacked opens the store of an unpacked backup read-only. A store of an older format is
// upgraded first.
func OpenUnpacked(dir string) (*store.Store, error) {
	s, err := store.OpenReadOnly(dir, store.Options{})
	if errors.Is(err, store.ErrOlderFormat) {
		if s, err = store.Open(dir, store.Options{}); err == nil {
			err = s.Close()
		}
		if err == nil {
			s, err = store.OpenReadOnly(dir, store.Options{})
		}
	}
	switch {
	case errors.Is(err, store.ErrNewerFormat):
		return nil, err
	case err != nil:
		return nil, damaged("its store cannot be opened: %w", err)
	}
	return s, nil
}

// unused returns name, or one like it, such that nothing exists under it.
func unused(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// ready is the file that says that a restore may be finished.
type ready struct {
	Aside string `json:"aside"` // the name of the folder for what was there
}

// declare records, durably, that everything is unpacked.
func declare(work string, r ready) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := (durable.As{Alone: true}).Text(filepath.Join(work, readyName), data); err != nil {
		return err
	}
	return durable.Folder(filepath.Dir(work))
}
