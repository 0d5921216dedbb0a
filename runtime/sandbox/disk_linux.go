package sandbox

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// diskInterval is the interval at which the disk is checked. In that time a fast disk can take a
// few hundred MiB.
const diskInterval = 100 * time.Millisecond

// watchDisk stops a command that fills the disk of the workspace. What others write there at the
// same time counts too, because nothing shows whose a block is.
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

// free returns how many bytes are free on the workspace's disk.
func (k *Keeper) free() (int64, bool) {
	var s unix.Statfs_t
	if unix.Statfs(k.options.Workspace, &s) != nil {
		return 0, false
	}
	return int64(s.Bfree) * int64(s.Bsize), true
}
