// Package journal is shelly journal, which keeps a journal safe and checks it.
package journal

// Command is what keeps a journal safe (CLI-14).
type Command struct {
	Backup  backupCmd  `cmd:"" help:"Write all that the data folder keeps into one file, also while the daemon runs."`
	Verify  verifyCmd  `cmd:"" help:"Fold a journal with today's code, and show the first record that is otherwise."`
	Restore restoreCmd `cmd:"" help:"Put a backup into a data folder whose daemon is stopped."`
}
