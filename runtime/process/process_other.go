//go:build !linux

package process

// Started returns "": unknown on this system.
func Started(pid int) string { return "" }

// Gone returns false: unknown on this system.
func Gone(pid int, started string) bool { return false }

// Suspended returns false: unknown on this system.
func Suspended(pid int, started string) bool { return false }

// Resident returns 0: unknown on this system.
func Resident(pid int) int64 { return 0 }
