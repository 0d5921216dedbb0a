package tool

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// refusal is an error of a call that another attempt cannot put right.
type refusal struct{ error }

// Refuse returns the error of a call that another attempt cannot put right.
func Refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// lasting are system errors that waiting does not change.
var lasting = []error{
	fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, syscall.ELOOP, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG,
	syscall.EINVAL, syscall.E2BIG, syscall.ENOEXEC, syscall.EROFS, syscall.ENXIO, syscall.ENODEV, syscall.EFBIG, syscall.EOPNOTSUPP,
}

func lasts(err error) bool {
	return slices.ContainsFunc(lasting, func(e error) bool { return errors.Is(err, e) }) || errors.As(err, new(refusal))
}

// Undone is the result of a tool that could not begin. If waiting changes nothing, the call
// itself is at fault, and no other attempt is made (TOL-12).
func Undone(err error) Result {
	if lasts(err) {
		return Invalid("%v", err)
	}
	return Nothing("%v", err)
}
