//go:build !linux

package source

import "io/fs"

// changedAt returns when a file was last written, in milliseconds since 1970.
func changedAt(info fs.FileInfo) int64 { return info.ModTime().UnixMilli() }
