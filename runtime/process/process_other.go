//go:build !linux

package process

// Started returns nothing: nothing is known of it.
func Started(pid int) string { return "" }

// Gone returns false: nothing is known of it.
func Gone(pid int, started string) bool { return false }

// Resident returns how many bytes of memory a process has; it is not known here.
func Resident(pid int) int64 { return 0 }
