// Package event is shelly event: the sources of events that the daemon watches, and their
// events.
package event

// Command lists the sources of events and tries them.
type Command struct {
	List listCmd `cmd:"" help:"List the sources of events with their state and last events."`
	Try  tryCmd  `cmd:"" help:"Look at sources once, and show the events that they would raise now."`
}
