// Package schedule is shelly schedule: which work runs at which times, and how a person changes
// that.
package schedule

// Command lists and changes schedules.
type Command struct {
	List   listCmd   `cmd:"" help:"List the schedules with their next times."`
	Add    addCmd    `cmd:"" help:"Add a schedule."`
	Remove removeCmd `cmd:"" help:"Remove a schedule. Its current run continues."`
	Pause  pauseCmd  `cmd:"" help:"Pause a schedule; it stays paused after a restart."`
	Resume resumeCmd `cmd:"" help:"Resume a paused schedule."`
	Run    runCmd    `cmd:"" help:"Run a schedule now, in addition to its times."`
}
