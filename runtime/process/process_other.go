//go:build !linux

package process

// Started returns nothing: nothing is known of it.
func Started(pid int) string { return "" }

// Gone returns false: nothing is known of it.
func Gone(pid int, started string) bool { return false }
