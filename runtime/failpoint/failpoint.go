package failpoint

// Point is a place in the code.
type Point string

// The points, in the order in which a request meets them.
const (
	BootOpened    Point = "boot.opened"    // the store is open
	BootRecovered Point = "boot.recovered" // the machine is recovered and has not taken the boot
	BootBooted    Point = "boot.booted"    // the boot is in the journal and its effects are begun

	AppendBefore   Point = "journal.append.before"
	AppendAfter    Point = "journal.append.after" // durable where necessary, and none of its effects performed
	SnapshotBefore Point = "journal.snapshot.before"
	SnapshotAfter  Point = "journal.snapshot.after"
	TrimBefore     Point = "journal.trim.before"
	TrimAfter      Point = "journal.trim.after"

	HTTPAccepted    Point = "http.accepted" // and the client does not know
	HTTPReplyBefore Point = "http.reply.before"
	HTTPReplyAfter  Point = "http.reply.after"
	UDPAccepted     Point = "udp.accepted" // and the client does not know
	UDPReplyBefore  Point = "udp.reply.before"
	UDPReplyAfter   Point = "udp.reply.after"

	PerformBefore Point = "perform.before" // an effect; with its kind
	PerformAfter  Point = "perform.after"  // it is begun; with its kind
	CallEnded     Point = "call.ended"     // an effect has an outcome that the machine does not know yet; with its kind
	ToolStarted   Point = "tool.started"   // a command is running

	ChangeRecorded Point = "change.recorded" // a tool's change of a file is recorded, and not made
	ChangeMade     Point = "change.made"     // it is made, and the record does not say so

	FileWritten    Point = "file.written"            // next to the one that it will replace
	FileRenamed    Point = "file.renamed"            // and nobody knows it yet
	HistoryWritten Point = "session.history.written" // and MEMORY.md is not
	MemoryWritten  Point = "session.memory.written"  // and the session is not
	SessionPut     Point = "session.put"
	EntryPut       Point = "memory.entry.put"

	ChannelAccepted   Point = "channel.accepted"    // and the other side of the channel does not know
	ChannelSendBefore Point = "channel.send.before" // a message is about to be sent
	ChannelSent       Point = "channel.sent"        // the other side has accepted it, and this is not recorded

	ShutdownStopped Point = "shutdown.stopped" // the machine has stopped, and nothing is closed
	ShutdownClosed  Point = "shutdown.closed"  // everything is closed
)

// Points returns all points.
func Points() []Point {
	return []Point{
		BootOpened, BootRecovered, BootBooted,
		AppendBefore, AppendAfter, SnapshotBefore, SnapshotAfter, TrimBefore, TrimAfter,
		HTTPAccepted, HTTPReplyBefore, HTTPReplyAfter, UDPAccepted, UDPReplyBefore, UDPReplyAfter,
		PerformBefore, PerformAfter, CallEnded, ToolStarted,
		ChangeRecorded, ChangeMade,
		FileWritten, FileRenamed, HistoryWritten, MemoryWritten, SessionPut, EntryPut,
		ChannelAccepted, ChannelSendBefore, ChannelSent,
		ShutdownStopped, ShutdownClosed,
	}
}
