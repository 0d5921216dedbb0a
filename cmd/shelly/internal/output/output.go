// Package output writes the output of a command: to the file that -o names, or to standard
// output.
package output

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/datafolder"
	"shelly/runtime/durable"
	"shelly/runtime/system"
)

// File is the destination of a command's output.
type File struct {
	Name  string // empty or -: standard output
	Force bool   // it may overwrite an existing file
	Own   bool   // shelly has named it, and it may lie in a data folder
}

// Free returns an error if a folder or a device has the name, or a file that must not be
// overwritten, if the file would lie in a data folder, or if the file's folder cannot be written,
// which replacing a file needs, too, or created. It is called before the work begins; Write checks
// again.
func (f File) Free() error {
	if f.Standard() {
		return nil
	}
	at, err := os.Stat(f.Name)
	_, absent := os.Lstat(f.Name)
	switch {
	case err == nil && at.IsDir() || os.IsPathSeparator(f.Name[len(f.Name)-1]):
		return exit.Errorf(exit.Usage, "%s is a folder; name a file", f.Name)
	case err == nil && !at.Mode().IsRegular(): // a file would take its place, or that of a link to it, such as /dev/stdout
		return exit.Errorf(exit.Usage, "%s is not a regular file; name another one", f.Name)
	case absent == nil && !f.Force:
		return f.taken()
	}
	if data := datafolder.Around(f.Name); data != "" && !f.Own {
		return exit.Errorf(exit.Usage, "%s lies in shelly's data folder %s, where only shelly writes; name a file elsewhere", f.Name, data)
	}
	if err := system.Writable(Nearest(filepath.Dir(f.Name))); err != nil {
		return exit.With(exit.Disk, &fs.PathError{Op: "write", Path: f.Name, Err: err})
	}
	return nil
}

// Nearest returns a folder or, if it does not exist, the one that it would be created in.
func Nearest(dir string) string {
	for _, err := os.Stat(dir); err != nil && filepath.Dir(dir) != dir; _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// Standard reports whether the destination is standard output.
func (f File) Standard() bool { return f.Name == "" || f.Name == "-" }

// Other returns an error if a flag's file is to be standard output, which has another output of
// the command.
func Other(flag, name, has string) error {
	if name == "-" {
		return exit.Errorf(exit.Usage, "%s: standard output has %s; name a file", flag, has)
	}
	return nil
}

func (f File) taken() error {
	return exit.Errorf(exit.Usage, "%s exists already; name another file, or replace it with --force", f.Name)
}

// Write writes the whole file durably, or nothing; only its owner can read it, and the
// folders that are created for it. An error of
// content that no write has is returned unchanged; other errors have exit codes.
func (f File) Write(t *terminal.Terminal, content func(io.Writer) error) error {
	if f.Standard() {
		out := bufio.NewWriter(t.Out)
		return errors.Join(content(out), out.Flush())
	}
	var wrong error
	err := durable.As{New: !f.Force, Folder: 0o700}.File(f.Name, func(w io.Writer) error {
		wrong = content(w)
		return wrong
	})
	switch {
	case err == nil || wrong != nil && errors.Is(err, wrong):
		return err
	case errors.Is(err, fs.ErrExist):
		return f.taken()
	default:
		return exit.With(exit.Disk, err)
	}
}

// Text is Write with a text.
func (f File) Text(t *terminal.Terminal, text []byte) error {
	return f.Write(t, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Lines is Write of a text whose lines it counts.
func (f File) Lines(t *terminal.Terminal, content func(io.Writer) error) (lines int, err error) {
	err = f.Write(t, func(w io.Writer) error {
		counting := &counting{Writer: w}
		err := content(counting)
		lines = counting.lines
		return err
	})
	return lines, err
}

// counting is a writer that counts lines.
type counting struct {
	io.Writer
	lines int
}

func (c *counting) Write(text []byte) (int, error) {
	n, err := c.Writer.Write(text)
	c.lines += bytes.Count(text[:n], []byte{'\n'})
	return n, err
}

// String returns the name for messages.
func (f File) String() string {
	if f.Standard() {
		return "standard output"
	}
	return f.Name
}
