//go:build !linux

package source

import "io/fs"

// changedAt is when a file was written last, in milliseconds since 1970.
func changedAt(info fs.FileInfo) int64 { return info.ModTime().UnixMilli() }
