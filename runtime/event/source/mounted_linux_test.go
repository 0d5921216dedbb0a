package source_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/event/source"
)

// The disk may be mounted on the watched folder, as at its place in fstab, or on one in it, as below /media.
func TestEVT7ADiskThatIsMountedLaterIsWatched(t *testing.T) {
	for _, at := range []string{".", "disk"} {
		dir := t.TempDir()
		look := make(chan time.Time)
		f := watch(t, dir, func(f *source.Files) { f.Look = look }, time.Now().Add(time.Hour).UnixMilli())
		on := f.path(at)
		if at != "." {
			must(t, os.Mkdir(on, 0o755))
			f.until(t, "seen 2 folders")
		} else {
			f.until(t, "seen 1 folder")
		}
		if err := syscall.Mount("tmpfs", on, "tmpfs", 0, "size=64k"); err != nil {
			t.Skip("it may not mount:", err)
		}
		mounted := true
		t.Cleanup(func() {
			if mounted {
				_ = syscall.Unmount(on, syscall.MNT_DETACH)
			}
		})
		look <- time.Now()
		look <- time.Now() // the second is read once the first is dealt with, and all is watched anew
		f.write(at + "/on the disk")
		f.until(t, "created "+f.path(at+"/on the disk"))
		must(t, syscall.Unmount(on, syscall.MNT_DETACH))
		mounted = false
		look <- time.Now()
		look <- time.Now()
		f.write(at + "/below it")
		f.until(t, "created "+f.path(at+"/below it"))
	}
}
