// Package replace writes files whole or not at all.
package replace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// File writes a file that everybody may read, so that who reads it sees the
// old one or the new one, whole. Where the name is a link, what it leads to is
// replaced.
func File(name string, content func(io.Writer) error) error {
	if leads, err := filepath.EvalSymlinks(name); err == nil {
		name = leads
	}
	return Name(name, content)
}

// Name is File, but a link gives way as a file does.
func Name(name string, content func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = errors.Join(content(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
