package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"shelly/runtime/tool"
)

// worded is an error with other words than the file system's.
type worded struct {
	words string
	cause error
}

func (w worded) Error() string { return w.words }
func (w worded) Unwrap() error { return w.cause }

// unresolved returns an error of filepath.EvalSymlinks in the file system's words.
func unresolved(path string, err error) error {
	var errno syscall.Errno
	switch {
	case errors.As(err, new(*fs.PathError)):
		return err
	case !errors.As(err, &errno):
		errno = syscall.ELOOP // the only one for which it has its own words
	}
	return &fs.PathError{Op: "open", Path: path, Err: errno}
}

// explain words a file system's error for the model.
func explain(path string, err error) error {
	var p *fs.PathError
	if !errors.As(err, &p) {
		return err
	}
	name := strconv.Quote(path)
	words := ""
	switch {
	case errors.Is(err, fs.ErrNotExist):
		words = "no such file or folder: " + name
	case errors.Is(err, fs.ErrPermission):
		words = "permission denied: " + name
	case errors.Is(err, syscall.ELOOP):
		words = "too many symbolic links: " + name
	case errors.Is(err, syscall.ENOTDIR):
		words = name + " leads through a file as if it were a folder"
	case errors.Is(err, syscall.ENAMETOOLONG):
		words = "the path is too long for the file system: " + name
	case strings.Contains(p.Err.Error(), "escapes"):
		// os.Root's error has no name to compare with.
		return tool.Refuse("%s leads out of the workspace by .. or a symbolic link; it is refused", name)
	default:
		return fmt.Errorf("%s: %w", name, p.Err)
	}
	return worded{words, p.Err}
}
