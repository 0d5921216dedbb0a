package descriptor

import (
	"context"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Patient is a file system that waits if it runs out of file descriptors, because Pebble would not
// survive the error (CFG-15).
type Patient struct{ vfs.FS }

func waited[T any](open func() (T, error)) (T, error) {
	return Get(context.Background(), open)
}

// Create implements vfs.FS.
func (p Patient) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return waited(func() (vfs.File, error) { return p.FS.Create(name, category) })
}

// Open implements vfs.FS.
func (p Patient) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return waited(func() (vfs.File, error) { return p.FS.Open(name, opts...) })
}

// OpenReadWrite implements vfs.FS.
func (p Patient) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return waited(func() (vfs.File, error) { return p.FS.OpenReadWrite(name, category, opts...) })
}

// OpenDir implements vfs.FS.
func (p Patient) OpenDir(name string) (vfs.File, error) {
	return waited(func() (vfs.File, error) { return p.FS.OpenDir(name) })
}

// ReuseForWrite implements vfs.FS. If the file cannot be opened, it has its new name already.
func (p Patient) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := p.FS.ReuseForWrite(from, to, category)
	if Short(err) {
		return p.OpenReadWrite(to, category)
	}
	return f, err
}

// List implements vfs.FS.
func (p Patient) List(name string) ([]string, error) {
	return waited(func() ([]string, error) { return p.FS.List(name) })
}

// Unwrap implements vfs.FS.
func (p Patient) Unwrap() vfs.FS { return p.FS }
