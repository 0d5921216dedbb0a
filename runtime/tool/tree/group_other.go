//go:build !unix

package tree

import "os/exec"

// Lacks is which of the package's guarantees this system cannot give; empty: it gives all.
const Lacks = "on this system only the command itself is ended: processes that it has started keep running"

func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
