package fsm

import "slices"

// Stripped returns the messages of lists, one list after another, as a history: without the
// machine's asides, thinking, and answers that described a need. The rest is mended. The
// lists stay as they are.
func (w Words) Stripped(lists ...[]Message) []Message {
	room := 0
	for _, msgs := range lists {
		room += len(msgs)
	}
	var kept []Message
	for _, msgs := range lists {
		for i := range msgs {
			msg, ok := stripped(msgs[i])
			if !ok {
				continue
			}
			if kept == nil {
				kept = make([]Message, 0, room)
			}
			kept = append(kept, msg)
		}
	}
	return w.Mend(kept)
}

// stripped returns a message as a history has it, or false if a history leaves it out.
func stripped(msg Message) (Message, bool) {
	if msg.Aside {
		return Message{}, false
	}
	if _, marked := Need(msg.Text); marked && msg.Role == RoleAssistant {
		if len(msg.Calls) == 0 {
			return Message{}, false
		}
		msg.Text = WithoutNeed(msg.Text)
	}
	msg.Thinking, msg.Images = "", nil
	return msg, true
}

// Sent returns a history as it is sent to a model (SES-21): mended, but with empty inputs,
// which were sent too. Thinking is left out, as templates drop it from all turns but the
// last.
func (w Words) Sent(msgs []Message) []Message {
	kept, own := msgs, false
	for i := range msgs {
		if msgs[i].Thinking == "" {
			continue
		}
		if !own {
			kept, own = slices.Clone(msgs), true
		}
		kept[i].Thinking = ""
	}
	return w.mend(kept, true)
}

// Mend returns a history that can be sent (SES-7): each message with calls is followed by
// one result for each call, in order; there is no result without its call, and nothing
// empty.
func (w Words) Mend(msgs []Message) []Message { return w.mend(msgs, false) }

func (w Words) mend(msgs []Message, emptyInputs bool) []Message {
	if whole(msgs, emptyInputs) { // as nearly all are, and each is checked several times a turn
		return slices.Clip(msgs)
	}
	var out []Message
	for i := 0; i < len(msgs); {
		msg := msgs[i]
		i++
		switch {
		case msg.Role == RoleTool:
			continue // its call is not before it
		case msg.Role != RoleSystem && msg.Role != RoleUser && msg.Role != RoleAssistant:
			continue
		case msg.Role != RoleAssistant || len(msg.Calls) == 0:
			msg.Calls = nil
		}
		if msg.Text == "" && len(msg.Calls) == 0 && len(msg.Images) == 0 && !(emptyInputs && msg.Role == RoleUser) {
			continue
		}
		out = append(out, msg)
		if msg.Calls == nil {
			continue
		}
		from := i
		for i < len(msgs) && msgs[i].Role == RoleTool {
			i++
		}
		out = append(out, w.resultsFor(msg.Calls, msgs[from:i])...)
	}
	return out
}

// whole reports whether a history has messages and needs no mending.
func whole(msgs []Message, emptyInputs bool) bool {
	var open []ToolCall // the calls whose results come next
	for i := range msgs {
		msg := &msgs[i]
		switch {
		case len(open) > 0:
			if msg.Role != RoleTool || msg.Tool != open[0].Name || msg.ToolCall != open[0].ID {
				return false
			}
			open = open[1:]
			continue
		case msg.Role != RoleSystem && msg.Role != RoleUser && msg.Role != RoleAssistant:
			return false
		case msg.Calls != nil && (msg.Role != RoleAssistant || len(msg.Calls) == 0):
			return false
		case msg.Text == "" && len(msg.Calls) == 0 && len(msg.Images) == 0 && !(emptyInputs && msg.Role == RoleUser):
			return false
		}
		open = msg.Calls
	}
	return len(open) == 0 && len(msgs) > 0
}

// resultsFor returns one result for each call, in order: the one that names it, by its id
// or else by its name, or a text that says there is none.
func (w Words) resultsFor(calls []ToolCall, results []Message) []Message {
	taken := make([]bool, len(results))
	out := make([]Message, 0, len(calls))
	for _, c := range calls {
		found := -1
		for n, r := range results {
			if !taken[n] && (r.ToolCall == c.ID && (c.ID != "" || r.Tool == c.Name)) {
				found = n
				break
			}
		}
		if found < 0 {
			out = append(out, Message{Role: RoleTool, Text: w.Text(WordUnknownOutcome), Tool: c.Name, ToolCall: c.ID})
			continue
		}
		taken[found] = true
		r := results[found]
		r.Tool, r.ToolCall = c.Name, c.ID
		out = append(out, r)
	}
	return out
}

// Whole returns how many messages to take off the front of a list: at least n, and as many
// more as are needed to keep each call with its results.
func Whole(msgs []Message, n int) int {
	n = min(n, len(msgs))
	for n < len(msgs) && msgs[n].Role == RoleTool {
		n++
	}
	return n
}

// CutAt returns where to cut a list so that about keep of its newest messages stay and no
// call is split from its results.
func CutAt(msgs []Message, keep int) int {
	cut := min(max(len(msgs)-keep, 0), len(msgs))
	for cut > 0 && cut < len(msgs) && msgs[cut].Role == RoleTool {
		cut--
	}
	return cut
}

// Summed reports whether a conversation begins with the summary of a compaction (CTX-5): with a
// system message, or with a message of the machine's, which in other cases comes after the
// message that a turn begins with.
func (c *Config) Summed(talk []Message) bool {
	return len(talk) > 0 && (talk[0].Role == RoleSystem || talk[0].Aside && c.Edition >= EighthEdition)
}

// NextTurn returns where the first turn at or after cut begins, so that no part of the turn
// around cut is left. If none begins by the present question, it returns cut.
func NextTurn(talk []Message, cut, question int) int {
	for n := cut; n <= question; n++ {
		if talk[n].Begins() {
			return n
		}
	}
	return cut
}
