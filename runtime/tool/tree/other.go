//go:build !linux

package tree

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"

	"shelly/runtime/failpoint"
)

// Supervise does nothing: there are no supervisors on this system.
func Supervise() {}

// Clear does nothing: this system does not know what an earlier process left running.
func (k *Keeper) Clear() (ended []Process, err error) { return nil, nil }

// Run runs a command to its end, and then kills its process group. If it returns an error, the
// command was not started.
func (k *Keeper) Run(ctx context.Context, c Command) (End, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimedOut)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = c.Out, c.Out // one writer: exec copies to it from one goroutine
	cmd.Stdin, cmd.ExtraFiles = input(c.In), c.Files
	if c.Errs != nil {
		cmd.Stderr = c.Errs
	}
	group(cmd)
	// Kill the whole group at once: if only the command were killed, its children would hold
	// the output open for outputDelay.
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = outputDelay
	if err := cmd.Start(); err != nil {
		return End{}, err
	}
	failpoint.Hit(failpoint.ToolStarted)
	_ = cmd.Wait()     // ProcessState says how it ended
	_ = killGroup(cmd) // a group that is gone is not an error
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

// input returns what a command reads: nothing if no file is given.
func input(f *os.File) io.Reader {
	if f == nil {
		return nil
	}
	return f
}

var errTimedOut = errors.New("timed out")
