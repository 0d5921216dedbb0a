//go:build !linux

package source

import (
	"fmt"

	"shelly/runtime/event"
)

// running is not available on this system.
func running(string) ([]uint64, error) {
	return nil, fmt.Errorf("the processes of this system cannot be listed: %w", event.ErrNotHere)
}
