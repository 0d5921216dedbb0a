package script

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/heard"
)

// Quiet is the answer to a call that a plan need not script, or false for one
// that it must.
func Quiet(ask fsm.AskBrain) (Line, bool) {
	switch ask.Purpose {
	case fsm.PurposeSummary, fsm.PurposeCompact:
		text := "Summary of " + strconv.Itoa(sent(ask)-1) + " messages."
		if ask.Purpose == fsm.PurposeCompact && wantsEntry(ask) {
			text = `{"history_entry": ` + strconv.Quote(text) + `, "memory_update": ""}`
		}
		return Line{Text: text}, true
	case fsm.PurposePrefill:
		return Line{Text: "It", Length: true}, true
	case fsm.PurposeInit:
		return Line{Text: "Nothing to report."}, true
	case fsm.PurposeFarewell:
		return Line{Text: "Goodbye."}, true
	default:
		return Line{}, false
	}
}

// wantsEntry reports whether a compaction is asked for as the JSON of a consolidation
// (SES-10), which names its keys.
func wantsEntry(ask fsm.AskBrain) bool {
	messages := ask.Conversation.Messages
	return len(messages) > 0 && strings.Contains(messages[len(messages)-1].Text, `"history_entry"`)
}

// sent is how many messages the model is sent, the system prompt among them.
func sent(ask fsm.AskBrain) int {
	n := len(ask.Conversation.Messages)
	if ask.System != "" {
		n++
	}
	return n
}

// calls returns the line's calls, each with an id that is its own in the
// conversation, as a model's server gives them.
func (l Line) calls(ask fsm.AskBrain) []fsm.ToolCall {
	calls := append([]fsm.ToolCall(nil), l.Calls...)
	if l.Repeats {
		calls = append(calls, lastCalls(ask)...)
	}
	n := 0
	for i := range calls {
		if calls[i].ID != "" {
			continue
		}
		if n == 0 {
			n = freeID(ask)
		}
		calls[i].ID = "call_" + strconv.Itoa(n) + "_" + strconv.Itoa(i)
	}
	return calls
}

// lastCalls returns the calls that the model asked for last, without their ids and
// as a server sends calls: apart from the text, and without the blanks that a text
// has between the arguments.
func lastCalls(ask fsm.AskBrain) []fsm.ToolCall {
	messages := ask.Conversation.Messages
	for i := len(messages) - 1; i >= 0; i-- {
		if len(messages[i].Calls) == 0 {
			continue
		}
		calls := append([]fsm.ToolCall(nil), messages[i].Calls...)
		for n := range calls {
			calls[n].ID, calls[n].Text = "", false
			var args bytes.Buffer
			if json.Compact(&args, []byte(calls[n].Args)) == nil {
				calls[n].Args = args.String()
			}
		}
		return calls
	}
	return nil
}

// freeID returns the number of the next calls: that of the messages, unless a
// longer conversation, since shortened, has left calls of that number.
func freeID(ask fsm.AskBrain) int {
	n := sent(ask)
	for _, m := range ask.Conversation.Messages {
		for _, c := range m.Calls {
			number, _, _ := strings.Cut(strings.TrimPrefix(c.ID, "call_"), "_")
			if taken, err := strconv.Atoi(number); err == nil && taken >= n {
				n = taken + 1
			}
		}
	}
	return n
}

// Answer is what a client hears of what the model says on a line to ask, or nil where no
// answer comes. The simulator and the demo brain answer alike.
func (l Line) Answer(ask fsm.AskBrain) fsm.Fact {
	l = l.Thought(ask)
	if fails, none := l.answerless(ask); none {
		return fails
	}
	in := l.said(ask)
	text, thinking := heard.Text(in.Text)
	in.Text, in.Thinking = text, in.Thinking+thinking
	for i := range in.Calls {
		if l.BadArgs {
			in.Calls[i].Args = heard.Arguments(in.Calls[i].Args)
		}
	}
	return in
}

// Said is what the model says on a line to ask, as its server sends it, or nil where no answer
// comes.
func (l Line) Said(ask fsm.AskBrain) fsm.Fact {
	if fails, none := l.answerless(ask); none {
		return fails
	}
	return l.said(ask)
}

// answerless reports whether no answer comes, and how that fails: nil if it hangs.
func (l Line) answerless(ask fsm.AskBrain) (fails fsm.Fact, none bool) {
	switch {
	case l.Hangs:
		return nil, true
	case l.Fails != "":
		return fsm.BrainFailed{Answered: fsm.To(ask.Call), Class: l.Fails, Reason: l.Reason}, true
	default:
		return nil, false
	}
}

func (l Line) said(ask fsm.AskBrain) fsm.BrainAnswered {
	in := fsm.BrainAnswered{
		Answered: fsm.To(ask.Call), Stop: fsm.StopEndTurn, Text: l.text(ask), Thinking: l.thinking(ask), Calls: l.calls(ask), Tokens: l.Tokens,
		AsText: l.AsText,
	}
	switch {
	case l.Length:
		in.Stop = fsm.StopMaxTokens
	case len(in.Calls) > 0:
		in.Stop = fsm.StopToolUse
	}
	return in
}

// thinking is the thinking of the line's answer to ask.
func (l Line) thinking(ask fsm.AskBrain) string {
	if ask.NoThinking {
		return ""
	}
	return l.Thinking
}

// text is the text of the line's answer to ask.
func (l Line) text(ask fsm.AskBrain) string {
	if n := len(ask.Conversation.Messages); l.Quotes && n > 0 {
		return strings.TrimSpace(l.Text + "\n" + ask.Conversation.Messages[n-1].Text)
	}
	return l.Text
}
