package source

import (
	"io/fs"
	"syscall"
)

// changedAt returns when a file was last changed, created or renamed, in milliseconds since 1970.
func changedAt(info fs.FileInfo) int64 {
	at := info.ModTime().UnixMilli()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		at = max(at, int64(s.Ctim.Sec)*1000+int64(s.Ctim.Nsec)/1e6)
	}
	return at
}
