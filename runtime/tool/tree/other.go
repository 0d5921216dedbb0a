//go:build !linux

package tree

import (
	"context"
	"errors"
	"os/exec"
	"syscall"

	"shelly/runtime/failpoint"
)

// Lacks says what this system cannot keep of what the package promises; empty: nothing.
const Lacks = "on this system a command is ended with its process group alone: what has left it, and what runs when the daemon is killed, keeps running"

// Supervise does nothing: there are no supervisors on this system.
func Supervise() {}

// Clear does nothing: nothing is known of what an earlier process has left.
func (k *Keeper) Clear() (ended []Process, err error) { return nil, nil }

// Run runs a command to its end, and kills its process group with it. When an error is
// returned, the command was not started.
func (k *Keeper) Run(ctx context.Context, c Command) (End, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimedOut)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = c.Out, c.Out // one writer: exec copies to it from one goroutine
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The whole group at once: were it only the command, its children would hold the
	// output open for outputDelay.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
	if err := cmd.Start(); err != nil {
		return End{}, err
	}
	failpoint.Hit(failpoint.ToolStarted)
	_ = cmd.Wait()                                      // ProcessState says how it ended
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // a group that is gone is no error
	end := End{TimedOut: errors.Is(context.Cause(ctx), errTimedOut)}
	switch status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); {
	case !ok:
		end.Lost = true
	case status.Exited():
		end.Exited, end.Code = true, status.ExitStatus()
	default:
		end.Signal = status.Signal().String()
	}
	return end, nil
}

var errTimedOut = errors.New("timed out")
