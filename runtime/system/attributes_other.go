//go:build !linux

package system

import "os"

// CopyAttributes copies nothing on this system.
func CopyAttributes(_, _ *os.File) {}
