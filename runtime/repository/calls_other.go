//go:build !linux

package repository

// Calls are not noted where nothing contains them.
type Calls struct{}

// FileTime is not known.
func FileTime() int64 { return 0 }

// Ended notes nothing.
func (*Calls) Ended(int64) {}

// have knows of nothing that a command has made.
func (*Calls) have(string) bool { return false }
