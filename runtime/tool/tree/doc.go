// Package tree runs a command so that nothing it starts outlives it.
//
//	func main() {
//		tree.Supervise() // first: it returns at once in any process but a supervisor
//		…
//	}
//
//	k := tree.New("/var/lib/shelly/processes")
//	ended, err := k.Clear()                     // once at the start: end what a killed daemon left
//	end, err := k.Run(ctx, tree.Command{Args: []string{"/bin/sh", "-c", "make"}, …})
//
// # On Linux
//
// None of this needs a special right: no root, no namespace, no cgroup.
//
//   - Each command runs below a supervisor, the same binary executed again, which is
//     the child subreaper of everything that the command starts: a process that forks
//     twice, or leaves its session, becomes the supervisor's child and not
//     init's. So when no child is left, the kernel vouches that the whole tree is gone.
//   - The supervisor holds a pipe from the daemon. When the daemon closes it, or is
//     killed, the supervisor kills everything below it until nothing is left.
//   - When the supervisor is killed, the kernel kills the command itself
//     (PR_SET_PDEATHSIG), and the daemon finds the rest by their mark and kills it.
//   - When both are killed, the next start kills the rest ([Keeper.Clear]). A record of
//     the mark is written before the command starts and removed once its tree is gone.
//
// The mark is a hard limit of RLIMIT_RTTIME: more than 12 days of processor time
// without a wait in a realtime thread, which no command reaches. Each call uses its
// own number. A limit is inherited across every fork and exec, whatever happens to
// session, parent, environment and open files; only a privileged process can raise
// it, and everybody may read it in /proc.
//
// # What is not enforced
//
//   - Processes that a command asks another daemon to start (systemd-run, at, cron,
//     docker) are not below it, and are not ended.
//   - A process that has taken another user's identity (sudo) cannot be killed by the
//     daemon's user. [End.Left] names it, and Clear returns an error.
//   - If the kernel does not accept the mark (gVisor, a limit that is lower already),
//     only the supervisor finds what is left; if it was killed too, nothing does.
//   - A command has the rights of the daemon's user, unless package sandbox contains it: it
//     can kill the daemon and the supervisor, and, if privileged, change its mark.
//
// # On other systems
//
// The command's process group is killed. Processes that have left it, and those that run when
// the daemon is killed, keep running. [Lacks] says so.
package tree
