package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stage is the only argument of a stage.
const stage = "(stage of a command)"

// Stage returns at once, except in a stage that [Keeper.Run] started: there it runs the command
// and never returns. Call it in main, after tree.Supervise.
func Stage() {
	if len(os.Args) == 2 && os.Args[1] == stage {
		unix.Exit(begin()) // not os.Exit, for the same reason as in the supervisor
	}
}

// notStarted is the exit code of a stage that has not started the command.
const notStarted = 125

// begin contains this process as the plan says, and becomes the command or, in a pid
// namespace, starts it.
func begin() int {
	runtime.LockOSThread() // this thread is contained, and the command comes from it
	debug.SetGCPercent(-1) // the memory limits are meant for the command
	unix.CloseOnExec(planFile)
	unix.CloseOnExec(statusFile)
	tell := json.NewEncoder(os.NewFile(statusFile, "status"))
	var p plan
	err := json.NewDecoder(os.NewFile(planFile, "plan")).Decode(&p)
	if err == nil {
		_ = unix.Close(planFile)
		err = p.carryOut(tell)
	}
	var cause syscall.Errno
	errors.As(err, &cause)
	_ = tell.Encode(status{Error: err.Error(), Errno: int(cause)}) // a daemon that is gone needs none
	return notStarted
}

// carryOut carries out the plan. It returns only if the command was not started.
func (p *plan) carryOut(tell *json.Encoder) error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // if memory runs out, kill this first
	p.threads = ownThreads
	switch p.Rung {
	case Namespaces:
		if err := p.root(); err != nil {
			return err
		}
		return p.initOf(tell)
	case Bubblewrap:
		p.threads += p.others()
		return p.wrap()
	case Landlock:
		p.threads += p.others()
		return p.become()
	}
	return fmt.Errorf("no rung is called %q", p.Rung)
}

// ownThreads is more threads than a stage itself has.
const ownThreads = 16

// become contains this process with what needs no special right, and becomes the command.
func (p *plan) become() error {
	filter, program, err := p.enter()
	if err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := p.restrict(filter); err != nil {
		return err
	}
	return fmt.Errorf("start %s: %w", p.Args[0], syscall.Exec(program, p.Args, p.Env))
}

// enter goes, with no more access than the command will have, to its folder, and finds its program
// there. The filter is for [plan.restrict], which comes last.
func (p *plan) enter() (filter []unix.SockFilter, program string, err error) {
	if filter, err = p.filter(); err != nil {
		return nil, "", err
	}
	if err := p.landlock(); err != nil {
		return nil, "", err
	}
	if err := os.Chdir(p.Dir); err != nil {
		return nil, "", err
	}
	program, err = lookPath(p.Args[0], p.Env)
	return filter, program, err
}

// lingering is how long processes that outlive their command may finish writing.
const lingering = 500 * time.Millisecond

// initOf starts the command in a pid namespace whose first process this is, and ends with the
// command: the kernel then kills everything that is left in the namespace.
func (p *plan) initOf(tell *json.Encoder) error {
	filter, program, err := p.enter()
	if err != nil {
		return err
	}
	signal.Notify(make(chan os.Signal, 1)) // so that signals from the command do not end it
	if err := dropCapabilities(); err != nil {
		return err
	}
	// A process that may trace this one could use its descriptors.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the command from tracing its first process: %w", err)
	}
	if err := p.restrict(filter); err != nil {
		return err
	}
	pid, err := syscall.ForkExec(program, p.Args, &syscall.ProcAttr{
		Dir: p.Dir, Env: p.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Args[0], err)
	}
	for i := range 3 { // only what is left of the command must hold the output, not this process
		_ = unix.Close(i)
	}
	unix.Exit(reap(pid, tell))
	return nil
}

// reap waits for the end of the command, reports it, and gives what is left a moment.
func reap(command int, tell *json.Encoder) int {
	for {
		var s unix.WaitStatus
		pid, err := unix.Wait4(-1, &s, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0 // nothing is left
		case pid == command && (s.Exited() || s.Signaled()):
			_ = tell.Encode(status{Ended: true, Wait: uint32(s)})
			time.AfterFunc(lingering, func() { unix.Exit(0) })
		}
	}
}
