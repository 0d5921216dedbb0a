package store

import (
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
)

// disk is the file system that Pebble sees: one on which no write into the store's folder fails.
// When one does, the store fails and the write never returns. A write elsewhere, which belongs to a
// checkpoint, may fail without harm.
type disk struct {
	vfs.FS
	failure *failure
	ballast *ballast
}

// own reports whether a file is in the store's folder.
func (d disk) own(name string) bool {
	return d.PathJoin(d.failure.dir, d.PathBase(name)) == d.PathJoin(name)
}

// folder reports whether a folder is the store's.
func (d disk) folder(name string) bool { return d.PathJoin(name) == d.PathJoin(d.failure.dir) }

// check fails the store and parks the goroutine if a write has failed. A sync that finds the disk
// full is not tried again, but it gives up the ballast to leave room for the shutdown and the next
// start.
func (d disk) check(err error) {
	if err == nil {
		return
	}
	if vfs.IsNoSpaceError(err) {
		d.ballast.giveUp()
	}
	d.failure.stop(err)
}

func (d disk) written(f vfs.File, err error) (vfs.File, error) {
	d.check(err)
	return diskFile{File: f, disk: d}, nil
}

// Create implements vfs.FS.
func (d disk) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if !d.own(name) {
		return d.FS.Create(name, category)
	}
	return d.written(d.FS.Create(name, category))
}

// ReuseForWrite implements vfs.FS.
func (d disk) ReuseForWrite(from, to string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return d.written(d.FS.ReuseForWrite(from, to, category))
}

// Rename implements vfs.FS. Pebble renames while it opens, when compactions may already run: on a
// failure it would close what they use, and they would panic on goroutines of their own.
func (d disk) Rename(from, to string) error {
	d.check(d.FS.Rename(from, to))
	return nil
}

// Open implements vfs.FS. An options file seems empty: Pebble looks in it for options that shelly
// never changes, and would refuse a store for a damaged one (JRN-31).
func (d disk) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := d.FS.Open(name, opts...)
	if err != nil || !d.own(name) {
		return f, err
	}
	switch kind, _ := files.Parse(d.PathBase(name)); kind {
	case files.Table:
		return files.Verified{File: f, Name: d.PathBase(name)}, nil
	case files.Options:
		return vfs.NewMemFile(nil), f.Close()
	}
	return f, nil
}

// List implements vfs.FS. It writes nothing, but its failure does the same harm as that of a
// Rename.
func (d disk) List(name string) ([]string, error) {
	names, err := d.FS.List(name)
	if !d.folder(name) {
		return names, err
	}
	d.check(err)
	return names, nil
}

// OpenDir implements vfs.FS. A folder is opened to be synced.
func (d disk) OpenDir(name string) (vfs.File, error) {
	f, err := d.FS.OpenDir(name)
	if err != nil || !d.folder(name) {
		return f, err
	}
	return diskFile{File: f, disk: d}, nil
}

// Unwrap implements vfs.FS.
func (d disk) Unwrap() vfs.FS { return d.FS }

// diskFile is a file that is open for writing.
type diskFile struct {
	vfs.File
	disk disk
}

// Write implements vfs.File.
func (f diskFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.disk.check(err)
	return n, nil
}

// WriteAt implements vfs.File.
func (f diskFile) WriteAt(p []byte, offset int64) (int, error) {
	n, err := f.File.WriteAt(p, offset)
	f.disk.check(err)
	return n, nil
}

// Sync implements vfs.File.
func (f diskFile) Sync() error {
	f.disk.check(f.File.Sync())
	return nil
}

// SyncTo implements vfs.File.
func (f diskFile) SyncTo(length int64) (bool, error) {
	full, err := f.File.SyncTo(length)
	f.disk.check(err)
	return full, nil
}

// SyncData implements vfs.File.
func (f diskFile) SyncData() error {
	f.disk.check(f.File.SyncData())
	return nil
}

// Close implements vfs.File.
func (f diskFile) Close() error {
	f.disk.check(f.File.Close())
	return nil
}
