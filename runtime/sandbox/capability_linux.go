package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// capabilityMax is beyond the last capability that there may be one day.
const capabilityMax = 63

// Bits of PR_SET_SECUREBITS, from <linux/securebits.h>: root's programs have no capability,
// no ambient ones are raised, and neither is changed again.
const secureBits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7

// dropCapabilities takes every capability from this thread and what is made of it, for ever.
func dropCapabilities() error {
	for c := range capabilityMax + 1 {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("bound the capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, secureBits, 0, 0, 0); err != nil {
		return fmt.Errorf("make root's programs have no capability: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient capabilities: %w", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop the capabilities: %w", err)
	}
	return nil
}
