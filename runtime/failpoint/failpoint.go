package failpoint

// Point is a place in the code.
type Point string

// The points, in the order in which a request meets them.
const (
	BootOpened    Point = "boot.opened"    // the store is open
	BootRecovered Point = "boot.recovered" // the machine is recovered and has not been told of the boot
	BootBooted    Point = "boot.booted"    // the boot is in the journal and its effects are begun

	AppendBefore   Point = "journal.append.before"
	AppendAfter    Point = "journal.append.after" // durable where it had to be, and nothing of it performed
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
	CallEnded     Point = "call.ended"     // an effect has an outcome of which the machine does not know; with its kind
	ToolStarted   Point = "tool.started"   // a command runs

	ChangeRecorded Point = "change.recorded" // what a tool is about to change in a file, which is as it was
	ChangeMade     Point = "change.made"     // and the record does not say so

	FileWritten    Point = "file.written"            // beside the one that it will replace
	FileRenamed    Point = "file.renamed"            // and nobody knows it yet
	HistoryWritten Point = "session.history.written" // and MEMORY.md is not
	MemoryWritten  Point = "session.memory.written"  // and the session is not
	SessionPut     Point = "session.put"
	EntryPut       Point = "memory.entry.put"

	ChannelAccepted   Point = "channel.accepted"    // and the other side of the channel does not know
	ChannelSendBefore Point = "channel.send.before" // a message on its way out
	ChannelSent       Point = "channel.sent"        // the other side has taken it, and that is not kept

	ShutdownStopped Point = "shutdown.stopped" // the machine has, and nothing is closed
	ShutdownClosed  Point = "shutdown.closed"  // everything is
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
