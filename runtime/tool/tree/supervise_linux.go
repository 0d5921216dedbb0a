package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"shelly/runtime/process"
)

// Lacks is which of the package's guarantees this system cannot give; empty: it gives all.
const Lacks = ""

// supervisor is the only argument of a supervisor.
const supervisor = "(supervisor of a command)"

// The descriptors of a supervisor, besides the usual three.
const (
	ordersFile  = 3 // the request; closing it is the order to end
	reportsFile = 4
	firstFile   = 5 // of those that the command gets
)

// request is what the daemon asks of a supervisor.
type request struct {
	Args  []string `json:"args"`
	Dir   string   `json:"dir"`
	Env   []string `json:"env"`
	Mark  uint64   `json:"mark"` // 0: none
	Files int      `json:"files,omitempty"`
	Apart *Apart   `json:"apart,omitempty"`
}

// report is a report of a supervisor. They come in this order: the command was started, or why
// not; it ended; nothing is left.
type report struct {
	Error   string `json:"error,omitempty"`
	Errno   int    `json:"errno,omitempty"` // of the error, if the system gave one
	Started bool   `json:"started,omitempty"`
	Ended   bool   `json:"ended,omitempty"`
	Status  uint32 `json:"status,omitempty"` // as of wait(2)
	Gone    bool   `json:"gone,omitempty"`
}

// armed is set if this program's main calls Supervise. Without this check, a program that does
// not would start itself over and over.
var armed atomic.Bool

// Supervise returns at once, except in a supervisor that [Keeper.Run] started: there it runs the
// command and never returns. Call it first in main.
func Supervise() {
	armed.Store(true)
	if len(os.Args) == 2 && os.Args[1] == supervisor {
		unix.Exit(supervise()) // not os.Exit, which under the race detector waits for a second
	}
}

// supervise runs one command and ends when nothing of it is left (TOL-11).
func supervise() int {
	// The kernel kills the command with the thread that started it.
	runtime.LockOSThread()
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	unix.CloseOnExec(ordersFile)
	unix.CloseOnExec(reportsFile)
	orders := json.NewDecoder(os.NewFile(ordersFile, "orders"))
	reports := json.NewEncoder(os.NewFile(reportsFile, "reports"))
	var r request
	if err := orders.Decode(&r); err != nil {
		return 1 // the daemon is gone; nothing was started
	}
	command, err := begin(r)
	if err != nil {
		var cause syscall.Errno
		errors.As(err, &cause)
		_ = reports.Encode(report{Error: err.Error(), Errno: int(cause)}) // a daemon that is gone needs none
		return 1
	}
	_ = reports.Encode(report{Started: true})
	w := &watch{command: command, reports: reports}
	go func() {
		_, _ = orders.Token() // the end of the pipe, or an error, is the order to end
		w.end()
	}()
	go func() {
		<-ended
		w.end()
	}()
	w.reap()
	return 0
}

// begin makes this process the parent of all processes that the command leaves, and starts the
// command.
func begin(r request) (pid int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become the parent of what it leaves: %w", err)
	}
	_ = os.WriteFile("/proc/self/comm", []byte("shelly-call"), 0) // for people; nothing depends on it
	if r.Mark > 0 {                                               // a kernel may refuse it; see "What is not enforced"
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: r.Mark, Max: r.Mark}, nil)
	}
	files := []uintptr{0, 1, 2}
	for i := range r.Files {
		unix.CloseOnExec(firstFile + i)
		files = append(files, uintptr(firstFile+i))
	}
	if err := keepRest(firstFile + r.Files); err != nil {
		return 0, err
	}
	pid, err = syscall.ForkExec(r.Args[0], r.Args, &syscall.ProcAttr{Dir: r.Dir, Env: r.Env, Files: files, Sys: r.attributes()})
	if err != nil {
		return 0, err
	}
	letGo(r.Files)
	return pid, nil
}

// keepRest keeps every descriptor from one number on from the command: the daemon may have
// inherited some that it does not know.
func keepRest(from int) error {
	if unix.CloseRange(uint(from), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	names, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("keep the daemon's files from the command: %w", err)
	}
	for _, name := range names {
		if fd, err := strconv.Atoi(name.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// attributes returns how the command is started: it ends with its supervisor, and in its own
// namespaces has the same user and group.
func (r request) attributes() *syscall.SysProcAttr {
	attributes := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if a := r.Apart; a != nil {
		uid, gid := os.Getuid(), os.Getgid()
		attributes.Cloneflags = a.Clone
		attributes.AmbientCaps = a.Caps
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	return attributes
}

// letGo closes the files that the command was given, so that they stay open only as long as the
// command's processes hold them.
func letGo(files int) {
	for i := range files {
		_ = unix.Close(firstFile + i)
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		err = errors.Join(unix.Dup3(null, 0, 0), unix.Dup3(null, 1, 0), unix.Dup3(null, 2, 0), unix.Close(null))
	}
	if err != nil {
		for i := range 3 {
			_ = unix.Close(i)
		}
	}
}

// watch is a supervisor's view of its tree.
type watch struct {
	command int
	reports *json.Encoder
	ending  atomic.Bool
}

// end orders the end of the whole tree.
func (w *watch) end() {
	w.ending.Store(true)
	killBelow(w.command)
}

// reap waits for one child after another until there is none, which means that nothing is
// left. Once the end is ordered, it kills again after each batch what is still below it: a
// process that was missed always has an ancestor that was killed, whose end reap sees.
func (w *watch) reap() {
	flags := 0
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, flags|unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil: // ECHILD
			_ = w.reports.Encode(report{Gone: true})
			return
		case pid == 0:
			flags = 0
			if w.ending.Load() {
				killBelow(w.command)
			}
		default:
			flags = unix.WNOHANG
			if pid == w.command && (status.Exited() || status.Signaled()) {
				_ = w.reports.Encode(report{Ended: true, Status: uint32(status)})
			}
		}
	}
}

// killBelow kills everything that is below this process now; if that is unknown, the command's
// group.
func killBelow(command int) {
	all, err := process.All()
	if err != nil {
		_ = unix.Kill(-command, unix.SIGKILL) // all that is known without /proc
		return
	}
	for _, e := range below(os.Getpid(), all) {
		handle := kill(e.PID, func() bool {
			now, ok := process.Find(e.PID)
			return ok && now.Start == e.Start
		})
		if handle >= 0 {
			_ = unix.Close(handle)
		}
	}
}
