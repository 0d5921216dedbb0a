package durable

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
)

// OnAStick makes the file system look like FAT, without hard links and modes.
func OnAStick(t *testing.T) {
	link = func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
	}
	chmod = func(f *os.File, _ fs.FileMode) error {
		return &fs.PathError{Op: "chmod", Path: f.Name(), Err: syscall.EPERM}
	}
	t.Cleanup(func() { link, chmod = os.Link, (*os.File).Chmod })
}
