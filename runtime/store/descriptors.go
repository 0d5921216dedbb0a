package store

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/descriptor"
)

// patient is a file system on which running out of file descriptors is a wait: to Pebble
// it would be the end (CFG-15).
type patient struct{ vfs.FS }

func get[T any](open func() (T, error)) (T, error) {
	return descriptor.Get(context.Background(), open)
}

// Create implements vfs.FS.
func (p patient) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return get(func() (vfs.File, error) { return p.FS.Create(name, category) })
}

// Open implements vfs.FS.
func (p patient) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return get(func() (vfs.File, error) { return p.FS.Open(name, opts...) })
}

// OpenReadWrite implements vfs.FS.
func (p patient) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return get(func() (vfs.File, error) { return p.FS.OpenReadWrite(name, category, opts...) })
}

// OpenDir implements vfs.FS.
func (p patient) OpenDir(name string) (vfs.File, error) {
	return get(func() (vfs.File, error) { return p.FS.OpenDir(name) })
}

// ReuseForWrite implements vfs.FS. The file has its new name when it cannot be opened.
func (p patient) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(from, to, category)
	if descriptor.Short(err) {
		return p.OpenReadWrite(to, category)
	}
	return f, err
}

// List implements vfs.FS.
func (p patient) List(name string) ([]string, error) {
	return get(func() ([]string, error) { return p.FS.List(name) })
}

// Unwrap implements vfs.FS.
func (p patient) Unwrap() vfs.FS { return p.FS }
