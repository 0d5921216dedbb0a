// Package channel is shelly channel: the chat systems through which people talk to the daemon.
package channel

// Command lists the channels and tries them.
type Command struct {
	List listCmd `cmd:"" help:"List the channels with their state and counts."`
	Try  tryCmd  `cmd:"" help:"Send a test message to a chat."`
}
