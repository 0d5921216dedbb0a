package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// diskInterval is how often the disk is looked at. A fast disk takes some hundred MiB
// meanwhile.
const diskInterval = 100 * time.Millisecond

// watchDisk stops a command that fills the disk of the workspace. What others write there
// meanwhile counts as well: nobody knows whose a block is.
func (k *Keeper) watchDisk(ctx context.Context, stop func()) *atomic.Bool {
	full := new(atomic.Bool)
	free, ok := k.free()
	if k.options.Limits.Disk == 0 || !ok {
		return full
	}
	go func() {
		tick := time.NewTicker(diskInterval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if now, ok := k.free(); ok && free-now > k.options.Limits.Disk {
				full.Store(true)
				stop()
				return
			}
		}
	}()
	return full
}

// free is how many bytes the workspace's disk has left.
func (k *Keeper) free() (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(k.options.Workspace, &s) != nil {
		return 0, false
	}
	return int64(s.Bfree) * int64(s.Bsize), true
}
