//go:build unix && !linux

package tree

import (
	"os/exec"
	"syscall"
)

// Lacks is which of the package's guarantees this system cannot give; empty: it gives all.
const Lacks = "on this system only a command's process group is ended: processes that have left it, and those that run when the daemon is killed, keep running"

// group starts a command in a new process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
