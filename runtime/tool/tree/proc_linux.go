package tree

import (
	"errors"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// below returns the processes of which one is an ancestor.
func below(root int, all []process.Entry) (found []process.Entry) {
	children := map[int][]process.Entry{}
	for _, e := range all {
		children[e.Parent] = append(children[e.Parent], e)
	}
	for next := children[root]; len(next) > 0; next = next[1:] {
		found = append(found, next[0])
		next = append(next, children[next[0].PID]...)
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
	text, err := process.Read(pid, "limits")
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

// signalled words what killed a process.
func signalled(status syscall.WaitStatus) string {
	if status.CoreDump() {
		return status.Signal().String() + " (core dumped)"
	}
	return status.Signal().String()
}
