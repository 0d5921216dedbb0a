//go:build canary

package fsm

var canary Canary

// SetCanary wakes a canary in place of the one that was awake; with the empty
// string all sleep. It must not be called while a machine steps.
func SetCanary(c Canary) { canary = c }

// Canaries returns all canaries in order.
func Canaries() []Canary {
	return []Canary{
		CanaryDroppedTimer, CanaryReplyTwice, CanaryStaleAnswer, CanaryOrphanedCall, CanaryRerunTool, CanaryUnsyncedTool,
		CanarySessionLeak, CanaryQueueLost, CanaryUnboundedRetry, CanaryStarvation, CanaryEatenQuestion, CanaryUnsyncedReply,
	}
}
