//go:build !linux

package source

import (
	"fmt"

	"shelly/runtime/event"
)

// running has nothing to look at.
func running(string) ([]Running, error) {
	return nil, fmt.Errorf("the processes of this system cannot be listed: %w", event.ErrNotHere)
}
