//go:build canary

package fsm

var Awake Canary

// SetCanary wakes a canary in place of the one that was awake; with the empty
// string all sleep. It must not be called while a machine steps.
func SetCanary(c Canary) { Awake = c }

// steps is state outside the machine.
var steps uint64

// Elsewhere is what CanaryGlobalState adds to each id.
func Elsewhere() uint64 {
	if Awake == CanaryGlobalState {
		steps++
	}
	return steps
}

// Canaries returns, in order, all canaries that one run can show.
func Canaries() []Canary {
	return []Canary{
		CanaryDroppedTimer, CanaryReplyTwice, CanaryStaleAnswer, CanaryOrphanedCall, CanaryRerunTool, CanaryUnsyncedTool,
		CanarySessionLeak, CanaryQueueLost, CanaryUnboundedRetry, CanaryStarvation, CanaryEatenQuestion, CanaryUnsyncedReply,
	}
}
