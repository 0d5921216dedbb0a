package history

import (
	"fmt"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// brainEffects and brainFacts put what is about the model in words.
func brainEffects() []effectRow {
	return []effectRow{
		fsm.OnEffect(func(t *teller, e fsm.AskBrain) string {
			t.begins(e, "the model")
			return asks(e)
		}),
		fsm.OnEffect(func(t *teller, e fsm.AbortCall) string { return "gives up " + t.name(e.Call, "a call") }),
	}
}

func brainFacts() []factRow {
	return []factRow{
		ofHandle(func(_ *teller, f fsm.BrainProgress) string {
			return stages(f.Stage)
		}),
		ofCall(func(t *teller, f fsm.BrainAnswered, took string) string {
			return "the model answered" + took + t.firstWord(f) + t.spoken(f)
		}),
		ofCall(func(t *teller, f fsm.BrainFailed, took string) string {
			return fmt.Sprintf("the model failed%s (%s):%s", took, f.Class, t.text(f.Reason))
		}),
	}
}

// firstWord says how long a model took to its first token, where the server has said how long
// it wrote: all that came before it wrote, loading and waiting for a slot included.
func (t *teller) firstWord(in fsm.BrainAnswered) string {
	lasted, ok := t.lasted(in.Call)
	if !ok || in.Tokens.Writing == 0 || in.Tokens.Writing > lasted {
		return ""
	}
	return ", the first word after " + Span(lasted-in.Tokens.Writing)
}

// spoken is what a model said.
func (t *teller) spoken(in fsm.BrainAnswered) string {
	words := ""
	if in.Tokens != (fsm.Tokens{}) {
		words += ", " + Cost{Tokens: in.Tokens}.tokens()
	}
	if in.Model != (fsm.Model{}) {
		words += ", " + in.Model.String()
	}
	if in.Stop == fsm.StopMaxTokens {
		words += ", cut at its limit"
	}
	var parts []string
	if in.Thinking != "" && t.textMax == 0 {
		parts = append(parts, " it thought"+t.text(in.Thinking))
	}
	if in.Text != "" || len(in.Calls) == 0 {
		parts = append(parts, t.text(in.Text))
	}
	for i, c := range in.Calls {
		lead := " " + c.Name
		if i == 0 {
			lead = " calls" + lead
		}
		parts = append(parts, lead+t.args(c.Args))
	}
	return words + ":" + list(parts...)
}

// stages is what a model call has come to.
func stages(s fsm.Stage) string {
	switch s {
	case fsm.StageLoading:
		return "the server loads the model"
	case fsm.StageAccepted:
		return "the server has the model call, and reads its prompt when its turn comes"
	case fsm.StageWriting:
		return "the model writes"
	default:
		return "the model call came to " + string(s)
	}
}

// asks is a question to the model.
func asks(e fsm.AskBrain) string {
	words := fmt.Sprintf("asks the model (%s) with %s", e.Purpose, wording.Count(len(e.Messages()), "message"))
	switch e.Tools {
	case fsm.AllTools:
		words += " and all tools"
	case fsm.SubagentTools:
		words += " and a subagent's tools"
	}
	if e.Tokens > 0 {
		words += fmt.Sprintf(", about %s", wording.Count(e.Tokens, "token"))
	}
	return words
}
