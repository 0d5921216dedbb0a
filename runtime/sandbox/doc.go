// Package sandbox runs unchecked commands so that they reach only the workspace and what
// programs need: not the rest of the disk, the network, the daemon's data, token or
// environment, nor another process.
//
//	func main() {
//		tree.Supervise()
//		sandbox.Stage() // second: it returns at once in any process but a stage
//		…
//	}
//
//	k, err := sandbox.Open(ctx, sandbox.Options{Trees: trees, Workspace: "/home/ann/work", …})
//	end, err := k.Run(ctx, sandbox.Spec{Args: []string{"/bin/sh", "-c", "make"}, Out: &out, …})
//	k.Rung() // what contained it
//
// # Rungs
//
// [Open] takes the first rung that holds on this system, which it finds out by running
// a trial command in it.
//
//   - [Namespaces]: the same binary, executed again in its own namespaces (user, mount,
//     pid, network, ipc, uts), makes a small tree of mounts, changes its root to that, gives
//     up its capabilities and adds Landlock, a system call filter and limits. It needs
//     no special right, only a kernel that lets this user make a user namespace.
//   - [Bubblewrap]: the system's bwrap, which may be allowed to do what the user may not.
//   - [Landlock]: no namespaces, so only Landlock hides anything; a system call filter
//     refuses sockets. It needs no special right at all.
//   - [None]: nothing contains the command. It is used only if it is asked for.
//
// docs/sandbox.md says what each rung does not contain.
//
// # Who does what
//
// [Keeper.Run] writes a plan, which the command's first process (a stage: the same binary)
// reads from descriptor 3; the stage reports on descriptor 4. Package tree starts the stage,
// and ends everything that it leaves.
package sandbox
