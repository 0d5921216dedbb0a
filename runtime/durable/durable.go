// Package durable writes files that no crash loses or leaves in part.
package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File writes a file, in place of the one with its name: a reader and a crash see that
// one or the new one, whole, and when File returns it is the new one. It is made beside
// its place, where perm is what others may do with it.
func File(name string, perm fs.FileMode, content func(io.Writer) error) error {
	dir, base := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+base+".*") // for its owner alone
	if err != nil {
		return err
	}
	if err = content(f); err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return Folder(dir)
}

// Text is File with a text for its owner alone.
func Text(name string, text []byte) error {
	return File(name, 0o600, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Folder makes the names in a folder durable.
func Folder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
