package fsm

// A canary is a known bug behind a build tag. Built with its tag, the machine
// has the bug, and the proof must find it: a canary that survives is a hole in
// the proof (SIM-12). Without a tag, canary is the empty string and the compiler drops
// every trace of them.
const (
	canaryReplyTwice   = "reply_twice"   // a handle that is stopping replies again when its tool has stopped
	canaryUnsyncedTool = "unsynced_tool" // the start of an unsafe tool is no barrier
)
