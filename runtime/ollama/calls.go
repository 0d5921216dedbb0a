package ollama

import (
	"slices"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/heard"
	"shelly/runtime/jsonlist"
)

// calls are those of one line, in order.
type calls []call

// UnmarshalJSON reads at most one call more than an answer may have: a line has room for 650,000.
func (l *calls) UnmarshalJSON(text []byte) (err error) {
	*l, err = jsonlist.First[call](text, callsMax+1)
	return err
}

// news returns the last line's calls that no earlier line had, because some servers send all calls
// again at the end. Each earlier call cancels out only one of the last line's, so equal calls
// within one line stay as many as they are.
func news(earlier, last []call) []call {
	seen := make([]bool, len(earlier))
	var list []call
	for _, c := range last {
		i := 0
		for i < len(earlier) && (seen[i] || !earlier[i].again(c)) {
			i++
		}
		if i == len(earlier) {
			list = append(list, c)
			continue
		}
		seen[i] = true
	}
	return list
}

// again reports whether c, a call of the last line, repeats e.
func (e call) again(c call) bool {
	return e.Function.Index == c.Function.Index && e.Function.Name == c.Function.Name &&
		string(e.Function.Arguments) == string(c.Function.Arguments) && (c.ID == "" || c.ID == e.ID)
}

// toolCalls returns calls for the machine. A call without an id, or with one that the conversation
// already has, gets the id call_N, where it is the N-th call of the conversation, so that each
// result can name the call it answers (BRN-5).
func toolCalls(asked fsm.Conversation, calls []call) []fsm.ToolCall {
	if len(calls) == 0 {
		return nil
	}
	n := 0
	for i := range asked.Messages {
		n += len(asked.Messages[i].Calls)
	}
	named := make([]fsm.ToolCall, 0, len(calls))
	taken := func(id string) bool {
		return id == "" || called(asked, id) || slices.ContainsFunc(named, func(c fsm.ToolCall) bool { return c.ID == id })
	}
	next := n // no number below it is free
	for _, c := range calls {
		id := c.ID
		n++
		for next = max(next, n); taken(id); next++ {
			id = "call_" + strconv.Itoa(next)
		}
		named = append(named, fsm.ToolCall{ID: id, Name: c.Function.Name, Args: heard.Arguments(string(c.Function.Arguments))})
	}
	return named
}

// called reports whether a conversation has a call with an id.
func called(asked fsm.Conversation, id string) bool {
	for i := range asked.Messages {
		for k := range asked.Messages[i].Calls {
			if asked.Messages[i].Calls[k].ID == id {
				return true
			}
		}
	}
	return false
}
