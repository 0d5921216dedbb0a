package store

import (
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/system"
)

// locked is the file system of a store whose folder is locked (CFG-8). The lock is on the folder itself,
// while files are made and removed by name: what another process has put at the path since is
// left alone.
type locked struct {
	vfs.FS
	dir  string
	lock uintptr // of the locked folder; vfs.InvalidFd: none is
}

// moved returns ErrMoved if the locked folder is not the one at its path any more.
func (h *locked) moved() error {
	if h.lock == vfs.InvalidFd || system.IsAt(h.lock, h.dir) {
		return nil
	}
	return ErrMoved
}

// Create implements vfs.FS.
func (h *locked) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := h.moved(); err != nil {
		return nil, err
	}
	return h.FS.Create(name, category)
}

// OpenReadWrite implements vfs.FS.
func (h *locked) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := h.moved(); err != nil {
		return nil, err
	}
	return h.FS.OpenReadWrite(name, category, opts...)
}

// ReuseForWrite implements vfs.FS.
func (h *locked) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if err := h.moved(); err != nil {
		return nil, err
	}
	return h.FS.ReuseForWrite(from, to, category)
}

// Link implements vfs.FS.
func (h *locked) Link(from, to string) error {
	if err := h.moved(); err != nil {
		return err
	}
	return h.FS.Link(from, to)
}

// Rename implements vfs.FS.
func (h *locked) Rename(from, to string) error {
	if err := h.moved(); err != nil {
		return err
	}
	return h.FS.Rename(from, to)
}

// Remove implements vfs.FS.
func (h *locked) Remove(name string) error {
	if err := h.moved(); err != nil {
		return err
	}
	return h.FS.Remove(name)
}

// RemoveAll implements vfs.FS.
func (h *locked) RemoveAll(name string) error {
	if err := h.moved(); err != nil {
		return err
	}
	return h.FS.RemoveAll(name)
}

// MkdirAll implements vfs.FS.
func (h *locked) MkdirAll(dir string, mode fs.FileMode) error {
	if err := h.moved(); err != nil {
		return err
	}
	return h.FS.MkdirAll(dir, mode)
}

// Unwrap implements vfs.FS.
func (h *locked) Unwrap() vfs.FS { return h.FS }
