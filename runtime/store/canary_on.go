//go:build canary

package store

var canary Canary

// SetCanary wakes a canary in place of the one that was awake; with the empty string
// all sleep. It must not be called while a store is open.
func SetCanary(c Canary) { canary = c }

// Canaries returns all canaries in order.
func Canaries() []Canary {
	return []Canary{CanaryUnsyncedAppend, CanaryUnsyncedSnapshot, CanaryUnsyncedFolder}
}
