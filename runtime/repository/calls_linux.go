package repository

import (
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// Calls are the periods during which commands ran, by the clock that dates files. It is safe for
// concurrent use.
type Calls struct {
	mu    sync.Mutex
	spans [][2]int64 // nanoseconds, beginning and end of each
}

// spansMax is how many calls are remembered. Whatever earlier calls made counts as the person's.
const spansMax = 1000

// FileTime returns the time with which the kernel would now date a file, or 0 if that is unknown.
func FileTime() int64 {
	var now unix.Timespec
	if unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now) != nil {
		return 0
	}
	return now.Nano()
}

// Ended notes a call that began at began and has now ended.
func (c *Calls) Ended(began int64) {
	now := FileTime()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spans = append(c.spans, [2]int64{began, now})
	if over := len(c.spans) - spansMax; over > 0 {
		c.spans = slices.Delete(c.spans, 0, over)
	}
}

// have reports whether a file was made while a command ran. If that cannot be told, it returns
// false.
func (c *Calls) have(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) == 0 {
		return false
	}
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &s)
	if err != nil || s.Mask&unix.STATX_BTIME == 0 {
		return false
	}
	at := s.Btime.Sec*1e9 + int64(s.Btime.Nsec)
	return slices.ContainsFunc(c.spans, func(span [2]int64) bool { return span[0] < at && at < span[1] })
}
