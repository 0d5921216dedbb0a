// Package channel is shelly channel: the chat systems through which people talk with the daemon.
package channel

// Command is what can be asked of the channels.
type Command struct {
	List listCmd `cmd:"" help:"List the channels, with how they are and what they have done."`
	Try  tryCmd  `cmd:"" help:"Send a message to a chat of a channel."`
}
