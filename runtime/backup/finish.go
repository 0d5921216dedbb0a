package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/runtime/durable"
	"shelly/runtime/store"
)

// Pending returns ErrPending if a restore was interrupted between the old state and the new: the
// folder must not be read before Finish.
func Pending(data string) error {
	if isPending(data) {
		return fmt.Errorf("%w: %s", ErrPending, data)
	}
	return nil
}

func isPending(data string) bool {
	_, err := os.Lstat(filepath.Join(data, restoreFolder, readyName))
	return err == nil
}

// Finish completes a restore that a crash interrupted, and reports whether the folder now holds
// what was restored. It must run before the store is opened.
func Finish(data string) (finished bool, err error) {
	work := filepath.Join(data, restoreFolder)
	if _, err := os.Lstat(work); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock, err := store.Lock(work)
	if err != nil {
		return false, err
	}
	finished, err = finish(data)
	if err == nil {
		err = os.RemoveAll(work)
	}
	return finished, errors.Join(err, lock.Close())
}

// finish moves what is ready into place, and aside what was there. It can be repeated from wherever
// a crash interrupted it. What is not ready is removed. The caller holds the lock of the work
// folder.
func finish(data string) (finished bool, err error) {
	work := filepath.Join(data, restoreFolder)
	text, err := os.ReadFile(filepath.Join(work, readyName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, os.RemoveAll(filepath.Join(work, newFolder))
	}
	if err != nil {
		return false, err
	}
	var r ready
	if err := json.Unmarshal(text, &r); err != nil {
		return false, fmt.Errorf("%s: %w", filepath.Join(work, readyName), err)
	}
	if err := unlocked(filepath.Join(data, storeFolder)); err != nil {
		return false, err
	}
	for _, folder := range []string{storeFolder, memoryFolder} {
		if err := exchange(data, folder, filepath.Base(r.Aside)); err != nil {
			return false, fmt.Errorf("cannot put %s into the data folder: %w%s", folder, err, store.Advice(err))
		}
	}
	return true, errors.Join(os.Remove(filepath.Join(work, readyName)), durable.Folder(work))
}

// exchange moves a folder aside and the restored one into its place, unless that is done.
func exchange(data, folder, aside string) error {
	restored, place := filepath.Join(data, restoreFolder, newFolder, folder), filepath.Join(data, folder)
	if _, err := os.Lstat(restored); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch info, err := os.Lstat(place); {
	case errors.Is(err, fs.ErrNotExist):
	case err == nil && info.IsDir() && os.Remove(place) == nil: // an empty folder need not be kept
	default:
		to := filepath.Join(data, aside)
		if err := os.Mkdir(to, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := errors.Join(move(place, filepath.Join(to, folder)), durable.Folder(to)); err != nil {
			return err
		}
	}
	if err := os.Rename(restored, place); err != nil {
		return err
	}
	return errors.Join(durable.Folder(filepath.Join(data, restoreFolder, newFolder)), durable.Folder(data))
}

// move renames a folder, or a link to one, which then still leads there.
func move(place, to string) error {
	target, err := os.Readlink(place)
	if err != nil || filepath.IsAbs(target) {
		return os.Rename(place, to)
	}
	err = os.Symlink(filepath.Dir(place)+string(filepath.Separator)+target, to) // cleaned, it might lead elsewhere
	if err != nil && !errors.Is(err, fs.ErrExist) {                             // a crash may have come after it
		return err
	}
	return os.Remove(place)
}
