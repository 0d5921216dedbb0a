//go:build unix && !linux

package tree

import (
	"os/exec"
	"syscall"
)

// Lacks says what this system cannot keep of what the package promises; empty: nothing.
const Lacks = "on this system a command is ended with its process group alone: what has left it, and what runs when the daemon is killed, keeps running"

// group gives a command a process group of its own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
