package store

import (
	"errors"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// makeFolder makes dir and the missing folders above it, for their owner alone. What it makes is
// durable: each folder in which one was made is synced.
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
