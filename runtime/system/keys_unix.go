//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package system

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Keys makes a terminal deliver each key as it is pressed, without echo; ^C and ^Z
// stay signals, and output is unchanged. It does nothing to the terminal of a
// background process. The returned function restores the terminal's old mode.
func Keys(fd uintptr) (restore func(), err error) {
	if !inFront(fd) {
		return nil, syscall.EPERM
	}
	old, err := unix.IoctlGetTermios(int(fd), getTermios)
	if err != nil {
		return nil, err
	}
	mode := *old
	mode.Lflag &^= unix.ICANON | unix.ECHO
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(fd), setTermios, &mode); err != nil {
		return nil, err
	}
	return func() {
		if inFront(fd) {
			_ = unix.IoctlSetTermios(int(fd), setTermios, old)
		}
	}, nil
}

// inFront reports whether this process is in the foreground of a terminal.
func inFront(fd uintptr) bool {
	front, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	return err == nil && front == unix.Getpgrp()
}

// Stops returns the signals that by default end a process, the one that stops it, and the one
// that tells it that it has been continued.
func Stops() (ends []os.Signal, stop, continued os.Signal) {
	return []os.Signal{syscall.SIGQUIT, syscall.SIGHUP}, syscall.SIGTSTP, syscall.SIGCONT
}

// Send sends a signal to this process.
func Send(s os.Signal) { _ = syscall.Kill(os.Getpid(), s.(syscall.Signal)) }

// Stop stops this process until it is continued.
func Stop() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
