package fsm

var awake string

// SetCanary wakes a canary in place of the one that was awake; with the empty string
// all sleep. It must not be called while a machine steps or a store is open.
func SetCanary(name string) { awake = name }

// Awake reports whether the canary is awake.
func Awake(name string) bool { return awake == name }

// Canaries returns the names of a folder's canaries in order.
func Canaries(folder string) []string { return canaries[folder] }
