// Command shelly is a local, offline-first agent and the tools around it: the
// daemon, its client, the scenario runner, the explorer and the specification.
//
// A subcommand with verbs of its own, or of more than a file, has a folder: its flags, its
// words and its exit codes. What it does is done in the packages that it calls. What
// several subcommands share is below internal: start with flags and folder, then suite,
// which is shelly test, and lockstep, which plays a case on the real adapters.
package main
