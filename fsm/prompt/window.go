package prompt

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// WindowMin is the least window in which a configuration can be served, in tokens; 0 where
// it does not keep prompts within one (CTX-16).
func WindowMin(c fsm.Config) int {
	if !c.Fits() {
		return 0
	}
	h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}
	return c.WindowMin(c.EstimateOf(System(&c, h), fsm.Conversation{}, h.Toolset()))
}
