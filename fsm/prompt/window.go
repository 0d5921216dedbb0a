package prompt

import (
	"shelly/fsm"
	"shelly/fsm/offer"
	"shelly/fsm/state"
)

// WindowMin returns the least window in which a configuration can be served, in tokens, or
// 0 if it does not keep prompts within one (CTX-16).
func WindowMin(c fsm.Config) int {
	if !c.Fits() {
		return 0
	}
	h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}}
	system := System(&c, h)
	o := offer.Build(&c, h.Toolset(), system, nil)
	return c.WindowMin(c.EstimateOf(system, fsm.Conversation{}, h.Toolset(), &o))
}
