package fit

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

// shareMax is the greatest share of one result, in tokens, however large the window is:
// about 16 KiB, which takes a slow machine minutes to read.
const shareMax = 4096

// Share returns how many tokens of a result enter the conversation (TXT-1): half of what
// the system prompt, the tools and the conversation leave free, but at least an eighth of
// the room, divided by the number of calls in the answer. What the results of that answer
// take already counts as free, so that each gets the same.
func Share(c *fsm.Config, h *state.Handle) int {
	room := Room(c, h, prompt.System(c, h), prompt.Tools(c, h))
	free := room - h.Inf.Talk.Tokens
	for _, msg := range slices.Backward(h.Inf.Talk.Messages) {
		if msg.Role != fsm.RoleTool {
			break
		}
		free += fsm.MessageTokens(msg)
	}
	return min(max(max(free/2, room/8)/max(len(h.Inf.Calls), 1), fsm.ShortText), shareMax)
}
