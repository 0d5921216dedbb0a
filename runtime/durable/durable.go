// Package durable writes files so that they are whole and survive a crash.
//
// The library google/renameio, which also replaces files, syncs the file but not the folder with
// its name, and cannot refuse to replace an existing file.
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

// As is how a file is written.
type As struct {
	Perm   fs.FileMode  // the file's mode; 0: 0600
	New    bool         // an existing file is not replaced: the error is then fs.ErrExist
	Follow bool         // if the name is a link, its target is replaced
	Folder fs.FileMode  // missing folders of the file are created with this mode, and removed if it is not written; 0: they are not
	Alone  bool         // nobody else writes the file: what a crash left of it is removed
	Ready  func() error // called when the file is durable but does not have its name yet; an error keeps the old file
}

// File writes a file. A reader, also after a crash, finds either the old file or the new
// one, whole; once File has returned without an error, the new one. (With New, on a file system
// without hard links, a crash may leave an empty one.) Errors of content and
// Ready are returned as they are; any other error, also one of a write of content, is an
// [fs.PathError] with the name.
func (a As) File(name string, content func(io.Writer) error) error {
	place := name
	if leads, err := filepath.EvalSymlinks(name); err == nil && a.Follow {
		place = leads
	}
	if a.Folder == 0 {
		return a.write(name, place, content)
	}
	made := missing(filepath.Dir(place))
	if err := os.MkdirAll(filepath.Dir(place), a.Folder); err != nil {
		return without(made, failed(name, err))
	}
	if err := a.write(name, place, content); err != nil {
		return without(made, err)
	}
	for _, dir := range made {
		if err := Folder(filepath.Dir(dir)); err != nil {
			return failed(name, err)
		}
	}
	return nil
}

// missing returns a folder and those above it, as far as they do not exist, the innermost first.
func missing(dir string) (all []string) {
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		all = append(all, dir)
	}
	return all
}

// without removes folders that were made for a file that was not written, and returns why. One
// that others have used meanwhile is not empty, and stays.
func without(made []string, err error) error {
	for _, dir := range made {
		_ = os.Remove(dir)
	}
	return err
}

// write writes a file to its place; name is the one for messages.
func (a As) write(name, place string, content func(io.Writer) error) error {
	temp, err := descriptor.Get(context.Background(), func() (*os.File, error) { return a.open(place) })
	if err != nil {
		return failed(name, err)
	}
	defer os.Remove(temp.Name()) // after the rename there is nothing to remove
	out := bufio.NewWriter(temp)
	noting := &noting{Writer: out}
	if err := content(noting); err != nil {
		if noting.failed != nil {
			err = failed(name, noting.failed)
		}
		return errors.Join(err, temp.Close())
	}
	if err := errors.Join(out.Flush(), a.permit(temp), temp.Sync(), temp.Close()); err != nil {
		return failed(name, err)
	}
	if a.Ready != nil {
		if err := a.Ready(); err != nil {
			return err
		}
	}
	take := os.Rename
	if a.New {
		take = claim
	}
	if err := take(temp.Name(), place); err != nil {
		return failed(name, err)
	}
	if err := Folder(filepath.Dir(place)); err != nil {
		return failed(name, err)
	}
	return nil
}

// noting is a writer that keeps the error of a write.
type noting struct {
	io.Writer
	failed error
}

func (n *noting) Write(text []byte) (written int, err error) {
	written, err = n.Writer.Write(text)
	if err != nil {
		n.failed = err
	}
	return written, err
}

// link and chmod are variables for tests: FAT and exFAT, which most sticks and cards have, know
// neither hard links nor modes.
var (
	link  = os.Link
	chmod = (*os.File).Chmod
)

// claim gives a file a name that nothing has. Where there are no hard links, the name is taken by
// an empty file first, which a crash may leave.
func claim(temp, name string) error {
	err := link(temp, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	empty, taken := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if taken != nil {
		return taken
	}
	if err := errors.Join(empty.Close(), os.Rename(temp, name)); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// permit sets the mode of a file that is being written. Nobody is refused that for a file of
// their own, except by a file system without modes.
func (a As) permit(f *os.File) error {
	if err := chmod(f, cmp.Or(a.Perm, 0o600)); err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// open creates the file under another name, accessible only to its owner.
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

// failed returns an error that names the file, not its temporary name.
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

// Text is File with a text.
func (a As) Text(name string, text []byte) error {
	return a.File(name, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Text writes a text that only its owner may read.
func Text(name string, text []byte) error { return As{}.Text(name, text) }

// Folder makes the names in a folder durable.
func Folder(dir string) error {
	f, err := descriptor.Get(context.Background(), func() (*os.File, error) { return os.Open(dir) })
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
