package tool

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"shelly/fsm"
	"shelly/runtime/failpoint"
)

const (
	execName    = "exec"
	defaultPath = "/usr/local/bin:/usr/bin:/bin"

	// outputDelay is how long a process that outlives its command may hold the
	// output open before it is cut off and killed.
	outputDelay = 500 * time.Millisecond
)

// execDecl declares exec, which may do anything (TOL-1).
func execDecl(timeout time.Duration) fsm.ToolDecl {
	return fsm.ToolDecl{
		Name: execName,
		Description: "Run a shell command (sh -c) in the workspace. The result is its exit code and its output, stdout and stderr together. " +
			"It gets no input, ends after " + timeout.String() + " at the latest, and what it leaves in the background is ended with it.",
		Parameters: `{"type":"object","properties":{` +
			fmt.Sprintf(`"command":{"type":"string","maxLength":%d,"description":"The command, such as df -h /"}},`, commandCharsMax) +
			`"required":["command"],"additionalProperties":false}`,
		Effects: fsm.EffectsUnsafe,
	}
}

var errTimedOut = errors.New("timed out")

// exec is the tool exec (TOL-6). Nothing confines the command: see the package
// comment.
func (r *Runner) exec(ctx context.Context, a arguments) Result {
	command := a.text("command", "")
	switch {
	case strings.TrimSpace(command) == "":
		return invalid("command is empty")
	case strings.Contains(command, "\x00"):
		return invalid("command holds a NUL byte")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.options.ExecTimeout, errTimedOut)
	defer cancel()
	out := capture{half: r.room() / 2}
	cmd := r.command(ctx, command, &out)
	err := cmd.Start()
	if err == nil {
		failpoint.Hit(failpoint.ToolStarted)
		err = cmd.Wait()
	}
	if cmd.Process != nil {
		// What the command left behind must not outlive the call. A group keeps
		// its number as long as it has a member; without one there is nobody to
		// find, since the kernel does not hand a number out again at once.
		_ = killGroup(cmd.Process.Pid)
	}
	switch {
	case cmd.ProcessState != nil && cmd.ProcessState.Exited():
		return Result{Text: fmt.Sprintf("exit code: %d\n%s", cmd.ProcessState.ExitCode(), out.text())}
	case cmd.Process == nil:
		return nothing("the command was not started: %v", err)
	case errors.Is(context.Cause(ctx), errTimedOut):
		return failed("the command was killed after %v (tools.exec.timeout); output until then:\n%s", r.options.ExecTimeout, out.text())
	case ctx.Err() != nil:
		return failed("stopped: the call was given up and the command killed; output until then:\n%s", out.text())
	case cmd.ProcessState == nil:
		return failed("the command cannot be waited for: %v", err)
	}
	return Result{Text: "ended by " + cmd.ProcessState.String() + "\n" + out.text()}
}

func (r *Runner) command(ctx context.Context, command string, out *capture) *exec.Cmd {
	path := r.options.Path
	if path == "" {
		path = defaultPath
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir = r.real
	cmd.Env = []string{"PATH=" + path, "HOME=" + r.real, "LANG=C.UTF-8"}
	cmd.Stdout, cmd.Stderr = out, out // one writer: exec copies to it from one goroutine
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// The whole group at once: were it only the shell, its children would hold
	// the output open for outputDelay.
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = outputDelay
	return cmd
}

// killGroup kills every process of a group. A group that is gone is no error.
func killGroup(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}
