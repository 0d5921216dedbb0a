// Command shelly is a local, offline-first agent and the tools around it: the
// daemon, its client, the scenario runner, the explorer and the specification.
//
// A subcommand that has verbs, or that fills more than one file, has a folder with its flags,
// messages and exit codes. The work itself is done in the packages that it calls. What several
// subcommands share is in internal: start with flags and folder, then suite, which is shelly
// test, and lockstep, which plays a case on the real adapters.
package main
