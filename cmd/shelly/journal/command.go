// Package journal is shelly journal, which keeps a journal safe and checks it.
package journal

// Command is what keeps a journal safe (CLI-14).
type Command struct {
	Backup  backupCmd  `cmd:"" help:"Write journal, sessions and memory to one file, even while the daemon runs."`
	Verify  verifyCmd  `cmd:"" help:"Replay a journal with the current code and report the first mismatch."`
	Repair  repairCmd  `cmd:"" help:"Recover what can be read of a damaged data folder, and keep the damaged one."`
	Restore restoreCmd `cmd:"" help:"Restore a backup into the data folder of a stopped daemon."`
}
