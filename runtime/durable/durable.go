// Package durable puts files in their place whole and for good.
//
// A library that replaces files, google/renameio, syncs the file and not the folder that
// has its name, and cannot refuse to take the place of another.
package durable

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/runtime/descriptor"
)

// As says how a file gets its name.
type As struct {
	Perm   fs.FileMode  // what others may do with it; 0: nothing
	New    bool         // it takes the place of no other: the error is then an fs.ErrExist
	Follow bool         // where the name is a link, what it leads to is replaced
	Alone  bool         // nobody else writes it: what a crash has left of it is removed
	Ready  func() error // asked when the file is durable and has not its name yet; an error keeps the old one
}

// File writes a file. Who opens it, also after a crash, finds the old one or the new
// one, whole; once File has returned without an error, the new one. What content or
// Ready return is returned as it is, any other error is an [fs.PathError] of the name.
func (a As) File(name string, content func(io.Writer) error) error {
	place := name
	if leads, err := filepath.EvalSymlinks(name); err == nil && a.Follow {
		place = leads
	}
	temp, err := descriptor.Get(context.Background(), func() (*os.File, error) { return a.open(place) })
	if err != nil {
		return failed(name, err)
	}
	defer os.Remove(temp.Name()) // there is nothing to remove once it was renamed
	out := bufio.NewWriter(temp)
	if err := content(out); err != nil {
		return errors.Join(err, temp.Close())
	}
	if err := errors.Join(out.Flush(), temp.Chmod(cmp.Or(a.Perm, 0o600)), temp.Sync(), temp.Close()); err != nil {
		return failed(name, err)
	}
	if a.Ready != nil {
		if err := a.Ready(); err != nil {
			return err
		}
	}
	take := os.Rename
	if a.New {
		take = os.Link // which fails where something has the name
	}
	if err := take(temp.Name(), place); err != nil {
		return failed(name, err)
	}
	if err := Folder(filepath.Dir(place)); err != nil {
		return failed(name, err)
	}
	return nil
}

// open makes the file under another name, for its owner alone.
func (a As) open(name string) (*os.File, error) {
	dir, base := filepath.Split(name)
	dir = cmp.Or(dir, ".")
	if !a.Alone {
		return os.CreateTemp(dir, "."+base+".*")
	}
	temp := filepath.Join(dir, base+".tmp")
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// failed is an error about a file and not about the name that it had before.
func failed(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: name, Err: err}
}

// File writes a file in place of the one with its name, if there is one.
func File(name string, perm fs.FileMode, content func(io.Writer) error) error {
	return As{Perm: perm}.File(name, content)
}

// Text is File with a text.
func (a As) Text(name string, text []byte) error {
	return a.File(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Text writes a text for its owner alone.
func Text(name string, text []byte) error { return As{}.Text(name, text) }

// Folder makes the names in a folder durable.
func Folder(dir string) error {
	f, err := descriptor.Get(context.Background(), func() (*os.File, error) { return os.Open(dir) })
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
