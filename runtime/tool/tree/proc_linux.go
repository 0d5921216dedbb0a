package tree

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// entry is a process as /proc shows it.
type entry struct {
	pid, parent int
	start       uint64 // in ticks since the machine's start
	dead        bool   // its parent has not asked how it ended
	name        string
}

// entries reads all processes. One that ends meanwhile may be in it or not.
func entries() ([]entry, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if e, ok := look(pid); ok {
			all = append(all, e)
		}
	}
	return all, nil
}

// look reads one process, and false where it has ended.
func look(pid int) (entry, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return entry{}, false
	}
	return readStat(pid, text)
}

// readStat reads proc_pid_stat(5). The name may hold anything, parentheses and spaces
// included, so what follows is counted from the last parenthesis. A zombie is dead where
// it has no other thread: the first may end before the rest.
func readStat(pid int, text []byte) (entry, bool) {
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return entry{}, false
	}
	fields := strings.Fields(string(text[to+1:]))
	if len(fields) < 20 {
		return entry{}, false
	}
	parent, err := strconv.Atoi(fields[1])
	start, err2 := strconv.ParseUint(fields[19], 10, 64)
	dead := fields[0] == "Z" && fields[17] == "1" || fields[0] == "X"
	return entry{pid, parent, start, dead, string(text[from+1 : to])}, errors.Join(err, err2) == nil
}

// below returns the processes of which one is an ancestor.
func below(root int, all []entry) (found []entry) {
	children := map[int][]entry{}
	for _, e := range all {
		children[e.parent] = append(children[e.parent], e)
	}
	for next := children[root]; len(next) > 0; next = next[1:] {
		found = append(found, next[0])
		next = append(next, children[next[0].pid]...)
	}
	return found
}

// Bounds of the mark, in microseconds: 12 days, which no realtime thread runs without a
// wait, and what leaves no doubt about overflow.
const (
	markLeast = 1 << 40
	markMost  = 1 << 62
)

// markOf returns the mark of a process: the hard limit of its realtime threads.
func markOf(pid int) (mark uint64, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil {
		return 0, false
	}
	return readMark(string(text))
}

func readMark(limits string) (uint64, bool) {
	_, line, found := strings.Cut(limits, "Max realtime timeout")
	if !found {
		return 0, false
	}
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return 0, false
	}
	mark, err := strconv.ParseUint(fields[1], 10, 64)
	return mark, err == nil && mark >= markLeast && mark < markMost
}

// kill kills a process and no other that has its number by now: same is asked once the
// process is held. It returns the handle, whose end can be waited for, and -1 where the
// kernel has none.
func kill(pid int, same func() bool) (handle int, err error) {
	handle, err = unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return -1, err
	case err != nil: // before Linux 5.3, or a filter of system calls
		if !same() {
			return -1, unix.ESRCH
		}
		return -1, unix.Kill(pid, unix.SIGKILL)
	case !same():
		return -1, errors.Join(unix.ESRCH, unix.Close(handle))
	}
	return handle, unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0)
}

func bootID() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
}

// signalled words what killed a process.
func signalled(status syscall.WaitStatus) string {
	if status.CoreDump() {
		return status.Signal().String() + " (core dumped)"
	}
	return status.Signal().String()
}
