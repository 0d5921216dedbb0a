// Package tool holds the tools that the model may call, and runs them.
//
//	r, err := tool.New(tool.Options{Workspace: "/home/ann/project", Added: files})
//	boot := cfg.Machine(r.Declarations())
//	answer := r.Run(ctx, fsm.RunTool{Name: "read_file", Args: `{"path": "notes.txt"}`})
//
// A [Runner] has its own exec; the tools of other packages, such as package file, are
// added to it. Run is total: whatever the model sends, it gets a result that says what
// happened and what is allowed. A result is valid UTF-8 without control characters except
// tabs and line ends, is at most ResultBytesMax long, and says where something was cut.
//
// What is enforced: exec runs in the workspace, in its own session, without input, with a
// bounded output, a time-out and an environment of only PATH, HOME and LANG. When the
// command ends, is given up or runs out of time, and when the daemon is killed,
// everything that it started is killed; package tree says how, and on which
// systems fewer guarantees hold.
//
// Package sandbox keeps a command inside the workspace, in one of several ways, not all
// of which contain everything. Without it (tools.exec.allow: unsandboxed) a command has all
// rights of the daemon's user: it can read and write outside the workspace, private folders
// included, use the network, use up memory, disk and processes, and have another daemon
// (systemd, at, cron, docker) run something that outlives it.
package tool
