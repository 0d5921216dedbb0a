//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package system

import (
	"errors"
	"os"
)

// Keys is not available on this system.
func Keys(uintptr) (restore func(), err error) { return nil, errors.ErrUnsupported }

// Stops returns none.
func Stops() (ends []os.Signal, stop, continued os.Signal) { return nil, nil, nil }

// Send sends nothing.
func Send(os.Signal) {}

// Stop stops nothing.
func Stop() {}
