package sandbox

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// capabilityMax is above every capability that the kernel may have in future.
const capabilityMax = 63

// Bits of PR_SET_SECUREBITS, from <linux/securebits.h>: programs run by root get no capabilities,
// ambient ones cannot be raised, and these settings are locked.
const secureBits = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<6 | 1<<7

// dropCapabilities permanently takes every capability from this thread and its descendants. A
// thread without capabilities cannot reduce the bounding set, and need not: no_new_privs keeps
// it from getting any.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var have, none [2]unix.CapUserData
	if err := unix.Capget(&header, &have[0]); err != nil {
		return fmt.Errorf("read the capabilities: %w", err)
	}
	if have == none {
		return nil
	}
	if have[0].Effective&(1<<unix.CAP_SETPCAP) == 0 {
		return unix.Capset(&header, &none[0])
	}
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
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop the capabilities: %w", err)
	}
	return nil
}
