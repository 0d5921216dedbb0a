//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package supervise

import "time"

// Elsewhere nobody speaks this protocol.

func closeOnExec(int) {}

func monotonic() time.Duration { return 0 }
