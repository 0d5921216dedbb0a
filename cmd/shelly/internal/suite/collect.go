package suite

import "runtime"

// roomBytes is how much garbage of a run may gather in addition to live memory.
const roomBytes = 256 << 20

// collectSeldom makes garbage collections rare until the returned function is called. A case
// holds a few megabytes and produces many times that as garbage, so the collector would run all
// the time. The memory reserved for that is never touched, so it takes no physical memory.
func collectSeldom() (stop func()) {
	room := make([]byte, roomBytes)
	return func() { runtime.KeepAlive(room) }
}
