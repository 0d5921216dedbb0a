package copies

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// File is the file. It is safe for concurrent use. The zero File and a nil File stand for a file
// that does not exist and cannot be made.
type File struct {
	fs       vfs.FS
	path     string
	writable bool

	mu   sync.RWMutex
	open vfs.File // nil: not open
	none bool     // the file does not exist
	back bool     // it may be there again after a crash: its removal is not durable
}

// New returns the file at path. It is opened when it is first used.
func New(disk vfs.FS, path string, writable bool) *File {
	return &File{fs: disk, path: path, writable: writable}
}

// Read reads into p from offset at, and returns the number of bytes read: fewer than len(p) at the
// end of the file, with io.EOF.
func (f *File) Read(p []byte, at int64) (int, error) {
	var n int
	err := f.use(false, func(of vfs.File) (err error) {
		n, err = of.ReadAt(p, at)
		return err
	})
	return n, err
}

// Write writes p at offset at, and makes the file if there is none. It does not sync.
func (f *File) Write(p []byte, at int64) error {
	return f.use(true, func(of vfs.File) error {
		_, err := of.WriteAt(p, at)
		return err
	})
}

// Sync returns when everything that was written is durable.
func (f *File) Sync() error { return f.use(true, vfs.File.Sync) }

// Bytes returns the length of the file, 0 if there is none.
func (f *File) Bytes() (int64, error) {
	var n int64
	err := f.use(false, func(of vfs.File) error {
		info, err := of.Stat()
		if err == nil {
			n = info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return n, err
}

// Remove removes the file, durably.
func (f *File) Remove() error {
	if f == nil || f.fs == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.writable {
		return fs.ErrPermission
	}
	if f.open != nil { // some systems cannot remove an open file
		_ = f.open.Close()
		f.open = nil
	}
	switch err := f.fs.Remove(f.path); {
	case err == nil:
		f.back = true
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f.none = true
	if !f.back {
		return nil
	}
	dir, err := f.fs.OpenDir(f.fs.PathDir(f.path))
	if err != nil {
		return err
	}
	err = errors.Join(dir.Sync(), dir.Close())
	f.back = err != nil
	return err
}

// Close closes the file. From then on it behaves as one that does not exist.
func (f *File) Close() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.none, f.writable = true, false
	if f.open != nil {
		_ = f.open.Close() // what it holds may be lost
		f.open = nil
	}
}

// use calls fn with the open file.
func (f *File) use(write bool, fn func(vfs.File) error) error {
	if f == nil || f.fs == nil {
		return fs.ErrNotExist
	}
	f.mu.RLock()
	for f.open == nil {
		f.mu.RUnlock()
		if err := f.begin(write); err != nil {
			return err
		}
		f.mu.RLock()
	}
	defer f.mu.RUnlock()
	if write && !f.writable {
		return fs.ErrPermission
	}
	return fn(f.open)
}

// begin opens the file, for write making it if there is none.
func (f *File) begin(write bool) (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.open != nil:
		return nil
	case write && !f.writable:
		return fs.ErrPermission
	case !write && f.none:
		return fs.ErrNotExist
	case !f.writable:
		f.open, err = f.fs.Open(f.path)
	default:
		if _, err = f.fs.Stat(f.path); err != nil && !write {
			break
		}
		f.open, err = f.fs.OpenReadWrite(f.path, vfs.WriteCategoryUnspecified)
	}
	f.none = errors.Is(err, fs.ErrNotExist)
	return err
}
