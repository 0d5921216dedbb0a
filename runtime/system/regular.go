package system

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotRegular is the error for a link, a folder, a pipe or a device where a file is read.
var ErrNotRegular = errors.New("it is not a regular file")

// Regular opens a regular file for reading. It follows no link at the end of the path, and waits for nobody
// who would write to a pipe: another process may put either there at any time, so that a look at
// the path before opening it proves nothing.
func Regular(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|NoFollow, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}
