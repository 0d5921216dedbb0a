package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
)

// refusal is an error of a call that no other attempt would make right.
type refusal struct {
	error
	cause error // nil: it was refused before anything was tried
}

func (r refusal) Unwrap() error { return r.cause }

func refuse(format string, args ...any) error { return refusal{error: fmt.Errorf(format, args...)} }

// lasting are the errors of a system that waiting does not change.
var lasting = []error{
	fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, syscall.ELOOP, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG,
	syscall.EINVAL, syscall.E2BIG, syscall.ENOEXEC, syscall.EROFS, syscall.ENXIO, syscall.ENODEV, syscall.EFBIG, syscall.EOPNOTSUPP,
}

func lasts(err error) bool {
	for _, e := range lasting {
		if errors.Is(err, e) {
			return true
		}
	}
	return errors.As(err, new(refusal))
}

// undone is the result of a tool that could not begin. Where waiting changes nothing the
// call itself is at fault, and no other attempt is made (TOL-12).
func undone(err error) Result {
	if lasts(err) {
		return invalid("%v", err)
	}
	return nothing("%v", err)
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
		return refuse("%s leads out of the workspace by .. or a symbolic link; it is refused", name)
	default:
		return fmt.Errorf("%s: %w", name, p.Err)
	}
	return refusal{errors.New(words), p.Err}
}
