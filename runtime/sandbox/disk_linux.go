package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// filling tells when the disk of the workspace has filled by more than it may. What others write
// there at the same time counts too, because nothing shows whose a block is. So a program that is
// to run for days is judged by the last minute alone, or what others write in a day would end it.
type filling struct {
	limit  int64 // bytes
	every  time.Duration
	window time.Duration // 0: since the start
	free   int64         // at the beginning of the window
	since  time.Time
}

// fillingOf returns how a command is judged that may run for some time; 0: as long as it likes. A
// fast disk can take a few hundred MiB between two looks at a command, and ten times as much with
// a program that runs for days, which is not to wake the processor as often.
func fillingOf(limit int64, timeout time.Duration) filling {
	if timeout > 0 {
		return filling{limit: limit, every: 100 * time.Millisecond}
	}
	return filling{limit: limit, every: time.Second, window: time.Minute}
}

// exceeds takes how many bytes are free, and reports whether that is too few.
func (f *filling) exceeds(free int64, now time.Time) bool {
	if f.free-free > f.limit {
		return true
	}
	if f.window > 0 && now.Sub(f.since) >= f.window {
		f.free, f.since = free, now
	}
	return false
}

// watchDisks stops a command if a disk of the folders that it may write to fills too much: that of
// the workspace, and that of its folder for temporary files, unless it has none or that is bounded by itself.
func (k *Keeper) watchDisks(ctx context.Context, timeout time.Duration, scratch string, stop func()) *atomic.Bool {
	full := new(atomic.Bool)
	k.watchDisk(ctx, timeout, k.options.Workspace, full, stop)
	if scratch != "" && !sameDisk(scratch, k.options.Workspace) {
		k.watchDisk(ctx, timeout, scratch, full, stop)
	}
	return full
}

// watchDisk stops a command if the disk of a folder fills too much, and tells so.
func (k *Keeper) watchDisk(ctx context.Context, timeout time.Duration, dir string, full *atomic.Bool, stop func()) {
	f := fillingOf(k.options.Limits.Disk, timeout)
	room, ok := free(dir)
	if f.limit == 0 || !ok {
		return
	}
	f.free, f.since = room, time.Now()
	go func() {
		tick := time.NewTicker(f.every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if room, ok := free(dir); ok && f.exceeds(room, time.Now()) {
				full.Store(true)
				stop()
				return
			}
		}
	}()
}

// sameDisk reports whether two folders are on one disk.
func sameDisk(a, b string) bool {
	var of [2]unix.Stat_t
	return unix.Stat(a, &of[0]) == nil && unix.Stat(b, &of[1]) == nil && of[0].Dev == of[1].Dev
}

// free returns how many bytes are free on the disk of a folder.
func free(dir string) (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bfree) * int64(s.Bsize), true
}
