package fsm

// Canary is a known bug. A build with the tag canary has them all, each asleep
// until [SetCanary] wakes it; the proof must find every one, for a canary that
// survives is a hole in the proof (SIM-12). Without the tag, canary is the empty
// string and the compiler drops every trace of them.
type Canary string

// The canaries.
const (
	CanaryDroppedTimer   Canary = "dropped_timer"   // a handle that goes on after a crash sets no timer
	CanaryReplyTwice     Canary = "reply_twice"     // a handle that is stopping replies again when its tool has stopped
	CanaryStaleAnswer    Canary = "stale_answer"    // the answer to a call that was given up is taken for that of the next
	CanaryOrphanedCall   Canary = "orphaned_call"   // a cancel leaves the call in flight
	CanaryRerunTool      Canary = "rerun_tool"      // an unsafe tool that a crash interrupted is started again
	CanaryUnsyncedTool   Canary = "unsynced_tool"   // the start of an unsafe tool is no barrier
	CanarySessionLeak    Canary = "session_leak"    // a handle is begun with the session of the oldest
	CanaryQueueLost      Canary = "queue_lost"      // a shutdown forgets what is queued
	CanaryUnboundedRetry Canary = "unbounded_retry" // waits are not counted
	CanaryStarvation     Canary = "starvation"      // the newest handle goes first
	CanaryEatenQuestion  Canary = "eaten_question"  // a summary takes the place of the question too
	CanaryUnsyncedReply  Canary = "unsynced_reply"  // a reply is no barrier
	CanaryGlobalState    Canary = "global_state"    // ids depend on what other machines have done; only a second run tells
)
