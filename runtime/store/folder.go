package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// acquire makes the folder and takes its lock, before anything else in the
// folder is touched (CFG-8).
func acquire(disk vfs.FS, dir string) (*pebble.Lock, error) {
	if err := makeFolder(disk, dir); err != nil {
		return nil, fmt.Errorf("make the data folder %s: %w", dir, classify(err))
	}
	return lockFolder(disk, dir)
}

// Lock keeps every other process from a store's folder, which must be there, until it
// is closed. The error may be ErrLocked.
func Lock(dir string) (io.Closer, error) { return lockFolder(vfs.Default, dir) }

// lockFolder takes the lock of a folder that is there.
func lockFolder(disk vfs.FS, dir string) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, disk)
	switch {
	case err != nil && lockHeld(err):
		return nil, fmt.Errorf("%w: %s: stop that process or choose another folder", ErrLocked, dir)
	case err != nil:
		return nil, fmt.Errorf("lock the data folder %s: %w", dir, classify(err))
	}
	return lock, nil
}

// makeFolder makes dir and the folders above it that are missing, for their
// owner alone. What it makes is durable: each folder that got a new one is
// synced.
func makeFolder(disk vfs.FS, dir string) error {
	var grown []string
	for at := dir; ; at = disk.PathDir(at) {
		_, err := disk.Stat(at)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		above := disk.PathDir(at)
		if above == at {
			break
		}
		grown = append(grown, above)
	}
	if err := disk.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if canary == CanaryUnsyncedFolder {
		return nil
	}
	for _, above := range grown {
		if err := syncFolder(disk, above); err != nil {
			return err
		}
	}
	return nil
}

func syncFolder(disk vfs.FS, dir string) error {
	f, err := disk.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
