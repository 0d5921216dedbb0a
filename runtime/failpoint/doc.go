// Package failpoint names the points at which the tests kill the process.
//
//	failpoint.Hit(failpoint.AppendBefore)
//
// In a build without the tag failpoint, [On] is false, Hit does nothing, and the
// compiler drops the calls. With the tag, two variables of the environment say what
// a hit does; they are taken out of the environment when the process starts:
//
//	SHELLY_FAILPOINT=journal.append.before:3   at the third hit the process sends itself SIGKILL
//	SHELLY_FAILPOINT_LOG=/tmp/hits             each hit adds a line with its name, before anything else
//
// The log of a run without a kill says which points there are to be killed at, and
// how often each is hit. The hit of a point that many kinds of effects share has the
// kind after its name: perform.before/ask_brain.
//
// A process that kills itself at a point leaves behind exactly what one leaves that
// is killed from outside at the same moment: no deferred call runs, no buffer is
// flushed. What was written to files survives, synced or not; losing that is the
// business of the crashable file system in the tests of package store.
package failpoint
