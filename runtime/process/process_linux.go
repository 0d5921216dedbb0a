package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"shelly/runtime/descriptor"
)

// All returns all visible processes. One that ends during the call may or may not be among
// them.
func All() ([]Entry, error) {
	dir, err := descriptor.Get(context.Background(), func() (*os.File, error) { return os.Open("/proc") })
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := Find(pid); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// Find returns a process, or false if there is none.
func Find(pid int) (Entry, bool) {
	text, err := Read(pid, "stat")
	if err != nil {
		return Entry{}, false
	}
	return readStat(pid, text)
}

// Read returns a file in a process's folder in /proc. If no descriptor is left it waits, because
// otherwise an existing process would look as if it were gone.
func Read(pid int, name string) ([]byte, error) {
	return readFile(fmt.Sprintf("/proc/%d/%s", pid, name))
}

func readFile(name string) ([]byte, error) {
	return descriptor.Get(context.Background(), func() ([]byte, error) { return os.ReadFile(name) })
}

// readStat reads proc_pid_stat(5). The name may contain anything, including parentheses and
// spaces, so fields are counted from the last parenthesis. A zombie is dead only if it has no
// other thread, because the first thread may end before the others.
func readStat(pid int, text []byte) (Entry, bool) {
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return Entry{}, false
	}
	fields := strings.Fields(string(text[to+1:]))
	if len(fields) < 20 {
		return Entry{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	start, err2 := strconv.ParseUint(fields[19], 10, 64)
	dead := fields[0] == "Z" && fields[17] == "1" || fields[0] == "X"
	return Entry{pid, parent, start, dead, string(text[from+1 : to])}, errors.Join(err, err2) == nil
}

// Boot returns the unique id of the machine's present boot.
func Boot() (string, error) {
	text, err := readFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
}

// Started returns when a process was started, as a text that no other process with its
// number ever has; empty if unknown.
func Started(pid int) string {
	e, ok := Find(pid)
	boot, err := Boot()
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprintf("%s/%d", boot, e.Start)
}

// Gone reports whether the process for which Started returned started has ended. If that is
// unknown, it returns false.
func Gone(pid int, started string) bool {
	if boot, err := Boot(); started == "" || err != nil || boot == "" {
		return false
	}
	e, ok := Find(pid)
	return !ok || e.Dead || Started(pid) != started
}

// Suspended reports whether a signal has stopped the process for which Started returned started.
func Suspended(pid int, started string) bool {
	text, err := Read(pid, "stat")
	return err == nil && started != "" && stopped(text) && Started(pid) == started
}

// stopped reads the state in proc_pid_stat(5), which follows the name.
func stopped(text []byte) bool {
	return bytes.HasPrefix(text[bytes.LastIndexByte(text, ')')+1:], []byte(" T"))
}

// Resident returns how many bytes of memory a process uses; 0 if unknown.
func Resident(pid int) int64 {
	text, err := Read(pid, "statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
