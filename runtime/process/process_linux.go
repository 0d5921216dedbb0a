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

// All returns all processes that may be seen. One that ends meanwhile may be among them or
// not.
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

// Find returns one process, and false where there is none.
func Find(pid int) (Entry, bool) {
	text, err := Read(pid, "stat")
	if err != nil {
		return Entry{}, false
	}
	return readStat(pid, text)
}

// Read returns a file of a process's folder in /proc. It waits where there is no
// descriptor for it: a process that cannot be looked at is not gone.
func Read(pid int, name string) ([]byte, error) {
	return readFile(fmt.Sprintf("/proc/%d/%s", pid, name))
}

func readFile(name string) ([]byte, error) {
	return descriptor.Get(context.Background(), func() ([]byte, error) { return os.ReadFile(name) })
}

// readStat reads proc_pid_stat(5). The name may hold anything, parentheses and spaces
// included, so what follows is counted from the last parenthesis. A zombie is dead where
// it has no other thread: the first may end before the rest.
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

// Boot returns the name of the machine's present run, which no other run has.
func Boot() (string, error) {
	text, err := readFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
}

// Started returns when a process was started, in words that no other process with its
// number ever has; empty where that is not known.
func Started(pid int) string {
	e, ok := Find(pid)
	boot, err := Boot()
	if !ok || err != nil {
		return ""
	}
	return fmt.Sprintf("%s/%d", boot, e.Start)
}

// Gone reports whether a process has ended of which Started once said started. What is
// not known has not ended.
func Gone(pid int, started string) bool {
	if boot, err := Boot(); started == "" || err != nil || boot == "" {
		return false
	}
	e, ok := Find(pid)
	return !ok || e.Dead || Started(pid) != started
}

// Resident returns how many bytes of memory a process has; 0 where that is not known.
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
