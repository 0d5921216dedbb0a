// Package schedule is shelly schedule: what runs at which times, and a person's word on it.
package schedule

// Command is what can be asked of schedules.
type Command struct {
	List   listCmd   `cmd:"" help:"List the schedules with their next times."`
	Add    addCmd    `cmd:"" help:"Add a schedule."`
	Remove removeCmd `cmd:"" help:"Remove a schedule. What runs goes on."`
	Pause  pauseCmd  `cmd:"" help:"Let a schedule rest, over restarts too."`
	Resume resumeCmd `cmd:"" help:"Let a paused schedule go on."`
	Run    runCmd    `cmd:"" help:"Run a schedule now, beside its times."`
}
