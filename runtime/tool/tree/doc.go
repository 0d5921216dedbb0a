// Package tree runs a command so that nothing it starts outlives it.
//
//	func main() {
//		tree.Supervise() // first: it returns at once in any process but a supervisor
//		…
//	}
//
//	k := tree.New("/var/lib/shelly/processes")
//	ended, err := k.Clear()                     // what a killed daemon has left, once at the start
//	end, err := k.Run(ctx, tree.Command{Args: []string{"/bin/sh", "-c", "make"}, …})
//
// # On Linux
//
// No right is needed for any of this: no root, no namespace, no cgroup.
//
//   - Each command runs below a supervisor, the own binary executed again, which is
//     the child subreaper of all that the command starts: a process that forks
//     twice, or leaves its session, becomes the supervisor's child and not that of
//     init. So "no child is left" is the kernel's word that the whole tree is gone.
//   - The supervisor holds a pipe from the daemon. When the daemon closes it, or is
//     killed, the supervisor kills all that is below it until nothing is left.
//   - When the supervisor is killed, the kernel kills the command itself
//     (PR_SET_PDEATHSIG), and the daemon finds the rest by their mark and kills it.
//   - When both are killed, the next start does: [Keeper.Clear]. A record of the
//     mark is written before the command starts and removed once its tree is gone.
//
// The mark is a hard limit of RLIMIT_RTTIME, of more than 12 days of processor time
// without a wait in a realtime thread, which no command meets. Each call has a number
// of its own there. A limit is inherited over every fork and exec, whatever becomes of
// session, parent, environment and open files; only a privileged process can raise it
// again, and everybody may read it in /proc.
//
// # What is not enforced
//
//   - What a command asks another daemon to start (systemd-run, at, cron, docker) is
//     not below it, and is not ended.
//   - A process that has taken another user's identity (sudo) cannot be killed by the
//     daemon's user. [End.Left] names it, and Clear refuses to go on.
//   - Where the kernel does not take the mark (gVisor, a limit that is lower already),
//     what is left is found by the supervisor alone, and not once that was killed too.
//   - A command has the rights of the daemon's user, unless package sandbox contains it: it
//     can kill the daemon and the supervisor, and with the right of a privileged process
//     change its mark.
//
// # On other systems
//
// The command's process group is killed; what has left it, and what runs when the
// daemon is killed, goes on. [Lacks] says so.
package tree
