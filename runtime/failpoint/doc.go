// Package failpoint names the points at which the tests kill the process.
//
//	failpoint.Hit(failpoint.AppendBefore)
//
// As users have it, [On] is false and Hit does nothing. In a build that is linked with
// -X shelly/runtime/failpoint.armed=yes, two environment variables say what a hit does; they
// are removed from the environment when the process starts:
//
//	SHELLY_FAILPOINT=journal.append.before:3   at the third hit the process sends itself SIGKILL
//	SHELLY_FAILPOINT_LOG=/tmp/hits             each hit adds a line with its name, before anything else
//
// The log of a run without a kill shows at which points a process can be killed, and
// how often each is hit. For points that several kinds of effects share, the log has the
// kind after the point's name: perform.before/ask_brain.
//
// A process that kills itself at a point leaves behind exactly what a process
// killed from outside at the same moment leaves: no deferred call runs, no buffer is
// flushed. What was written to files survives, synced or not; losing unsynced writes is
// simulated by the crashable file system in the tests of package store.
package failpoint
