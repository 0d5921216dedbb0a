// Command shelly is a local, offline-first agent and the tools around it: the
// daemon, its client, the scenario runner, the explorer and the specification.
//
// One file holds one subcommand. What a subcommand does is done in the packages
// it calls; here are its flags, its words and its exit code. What only commands need,
// and is more than one of them, is below internal: start with suite, which is shelly
// test, and lockstep, which plays a case on the real adapters.
package main
