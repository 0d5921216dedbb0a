// Package event is shelly event: what the daemon looks out for by itself, and what it has seen.
package event

// Command is what can be asked of the sources of events.
type Command struct {
	List listCmd `cmd:"" help:"List the sources of events, with how they are and their last events."`
	Try  tryCmd  `cmd:"" help:"Look at sources once, and show the events that they would raise."`
}
