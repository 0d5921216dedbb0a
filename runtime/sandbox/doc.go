// Package sandbox runs commands that nobody has checked, so that they reach the workspace
// and what programs need, and nothing else: not the rest of the disk, the network, the
// daemon's data, token or environment, nor another process.
//
//	func main() {
//		tree.Supervise()
//		sandbox.Stage() // second: it returns at once in any process but a command's first
//		…
//	}
//
//	k, err := sandbox.Open(ctx, sandbox.Options{Trees: trees, Workspace: "/home/ann/work", …})
//	end, err := k.Run(ctx, sandbox.Spec{Args: []string{"/bin/sh", "-c", "make"}, Out: &out, …})
//	k.Rung() // what contained it
//
// # Rungs
//
// [Open] takes the first rung that holds on this system, and finds that out by running
// something contained by it.
//
//   - [Namespaces]: the own binary, executed again in namespaces of its own (user, mount,
//     pid, network, ipc, uts), makes a small tree of mounts, changes its root to that, gives
//     up its capabilities and adds Landlock, a filter of system calls and limits. It needs
//     no right, but a kernel that lets this user make a user namespace.
//   - [Bubblewrap]: the system's bwrap, which may have been let do what the user may not.
//   - [Landlock]: no namespace, so nothing is hidden but by Landlock; a filter of system
//     calls refuses sockets. It needs no right at all.
//   - [None]: nothing contains the command. It is taken only where it is asked for.
//
// docs/sandbox.md says what each rung does not hold.
//
// # Who does what
//
// [Keeper.Run] writes a plan, which the command's first process (a stage: the own binary)
// reads from descriptor 3, and reads from descriptor 4 how that went. The stage is started
// by package tree, which ends all that it leaves.
package sandbox
