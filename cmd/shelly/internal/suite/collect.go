package suite

import "runtime"

// roomBytes is how much the garbage of a run may take beside what is live.
const roomBytes = 256 << 20

// collectSeldom lets the collector of garbage run seldom until the returned function is
// called. What a case holds is a few megabytes and what it throws away is many times that,
// so the collector would run all the time. The memory reserved for it is never touched, and
// so takes none.
func collectSeldom() (stop func()) {
	room := make([]byte, roomBytes)
	return func() { runtime.KeepAlive(room) }
}
