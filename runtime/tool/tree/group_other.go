//go:build !unix

package tree

import "os/exec"

// Lacks says what this system cannot keep of what the package promises; empty: nothing.
const Lacks = "on this system a command is ended alone: what it has started keeps running"

func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
