package acp

import (
	"shelly/fsm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/rpc"
)

// StopCancelled is the reason of a turn that was cancelled.
const StopCancelled = "cancelled"

// Stop returns why a turn ended (FRT-54): in the protocol's words, or as an error if there is
// no answer.
func Stop(r client.Reply) (reason string, err error) {
	switch {
	case r.Outcome == fsm.OutcomeCancelled:
		return StopCancelled, nil
	case r.Outcome == fsm.OutcomeCut:
		return "max_tokens", nil
	case r.Outcome == fsm.OutcomeExhausted:
		return "max_turn_requests", nil
	case r.IsError:
		return "", rpc.Errorf(rpc.CodeInternal, "%s", r.Text)
	}
	return "end_turn", nil
}
