//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package supervise

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// closeOnExec keeps a descriptor from being inherited.
func closeOnExec(fd int) { syscall.CloseOnExec(fd) }

// monotonic returns the time of the system's monotonic clock.
func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
