package source

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt returns when a file was last changed, created or renamed, in milliseconds since 1970.
// Some file systems keep only the time at which it was written. That may have been set to a time to
// come, at which nothing has happened yet.
func changedAt(info fs.FileInfo) int64 {
	at := info.ModTime().UnixMilli()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		changed := int64(s.Ctim.Sec)*1000 + int64(s.Ctim.Nsec)/1e6
		if at < changed || at > time.Now().UnixMilli() {
			at = changed
		}
	}
	return at
}
