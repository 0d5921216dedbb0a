package source

import (
	"io/fs"
	"syscall"
)

// changedAt is when a file was changed last, put there or renamed, in milliseconds since 1970.
func changedAt(info fs.FileInfo) int64 {
	at := info.ModTime().UnixMilli()
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		at = max(at, int64(s.Ctim.Sec)*1000+int64(s.Ctim.Nsec)/1e6)
	}
	return at
}
