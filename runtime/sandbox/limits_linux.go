package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// addressFactor is how many times as much address space as data a process may have, because
// programs reserve address space that they never use.
const addressFactor = 4

// limit sets the limits of this process (TOL-44), which its descendants inherit. The memory
// limits come last, because this process itself may exceed them.
func (l Limits) limit(others int64) error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("limit core files: %w", err)
	}
	for _, s := range []struct {
		what     string
		resource int
		most     int64
	}{
		{"files", unix.RLIMIT_FSIZE, l.FileSize},
		{"descriptors", unix.RLIMIT_NOFILE, l.OpenFiles},
		{"processes", unix.RLIMIT_NPROC, added(l.Processes, others)},
		{"address space", unix.RLIMIT_AS, l.Memory * addressFactor},
		{"data", unix.RLIMIT_DATA, l.Memory},
	} {
		if s.most <= 0 {
			continue
		}
		most := uint64(s.most)
		var now unix.Rlimit
		if err := unix.Getrlimit(s.resource, &now); err == nil {
			most = min(most, now.Max)
		}
		if err := unix.Setrlimit(s.resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %s: %w", s.what, err)
		}
	}
	return nil
}

// added returns a limit in addition to what is there already; 0 if there is no limit.
func added(limit, there int64) int64 {
	if limit <= 0 {
		return 0
	}
	return limit + there
}

// others returns the number of threads that count together with the command's. Root's are not
// bounded, and need not be counted.
func (p *plan) others() int64 {
	if p.Root || p.Limits.Processes <= 0 {
		return 0
	}
	return threads()
}

// threads counts the threads of this user: the kernel counts a command's together with them if it
// has no user namespace.
func threads() int64 {
	all, err := process.All()
	if err != nil {
		return 0
	}
	uid, n := strconv.Itoa(os.Getuid()), int64(0)
	for _, e := range all {
		text, err := process.Read(e.PID, "status")
		if err != nil || fieldOf(string(text), "Uid:") != uid {
			continue
		}
		count, _ := strconv.ParseInt(fieldOf(string(text), "Threads:"), 10, 64)
		n += count
	}
	return n
}

func fieldOf(text, name string) string {
	_, rest, _ := strings.Cut(text, "\n"+name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return ""
	}
	return fields[0]
}
