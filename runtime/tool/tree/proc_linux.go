package tree

import (
	"errors"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// below returns the processes that have root as an ancestor.
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

// Bounds of the mark, in microseconds: at least 12 days, for which no realtime thread runs
// without a wait, and at most a number that cannot overflow.
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

// kill kills a process, but never another one that has its number by now: once it holds a handle
// of the process, it checks same. It returns the handle, on which the end can be awaited, or -1
// if the kernel has no handles.
func kill(pid int, same func() bool) (handle int) {
	handle, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return -1
	case err != nil: // before Linux 5.3, or a filter of system calls
		if same() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		return -1
	case !same():
		_ = unix.Close(handle)
		return -1
	}
	_ = unix.PidfdSendSignal(handle, unix.SIGKILL, nil, 0)
	return handle
}

// signalled returns the name of the signal that killed a process.
func signalled(status syscall.WaitStatus) string {
	if status.CoreDump() {
		return status.Signal().String() + " (core dumped)"
	}
	return status.Signal().String()
}
