package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool/tree"
)

const (
	execName    = "exec"
	defaultPath = "/usr/local/bin:/usr/bin:/bin"
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

// exec is the tool exec (TOL-6, TOL-11). Nothing confines the command: see the package
// comment.
func (r *Runner) exec(ctx context.Context, _ fsm.RunTool, a Arguments) Result {
	command := a.Text("command", "")
	switch {
	case strings.TrimSpace(command) == "":
		return Invalid("command is empty")
	case strings.Contains(command, "\x00"):
		return Invalid("command holds a NUL byte")
	}
	out := capture{half: Room(r.options.ResultBytesMax) / 2}
	end, err := r.options.Trees.Run(ctx, r.command(command, &out))
	if err != nil {
		return Undone(fmt.Errorf("the command was not started: %w", err))
	}
	left := ""
	if len(end.Left) > 0 {
		left = fmt.Sprintf("\n[still running, and cannot be ended: %v]", end.Left)
	}
	switch {
	case end.Exited:
		return Result{Text: fmt.Sprintf("exit code: %d\n%s%s", end.Code, out.text(), left)}
	case end.TimedOut:
		return Failed("the command was killed after %v (tools.exec.timeout); output until then:\n%s%s", r.options.ExecTimeout, out.text(), left)
	case ctx.Err() != nil:
		return Failed("stopped: the call was given up and the command killed; output until then:\n%s%s", out.text(), left)
	case end.Lost:
		return Failed("the command was killed together with its supervisor; output until then:\n%s%s", out.text(), left)
	}
	return Result{Text: "ended by signal: " + end.Signal + "\n" + out.text() + left}
}

func (r *Runner) command(text string, out *capture) tree.Command {
	path := r.options.Path
	if path == "" {
		path = defaultPath
	}
	return tree.Command{
		Args:    []string{"/bin/sh", "-c", text},
		Dir:     r.dir,
		Env:     []string{"PATH=" + path, "HOME=" + r.dir, "LANG=C.UTF-8"},
		Out:     out,
		Timeout: r.options.ExecTimeout,
	}
}
