package history

import (
	"cmp"
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// input is what the machine was told, in words. What was about another handle is
// marked as such.
func (t *teller) input(s Step) string {
	words := t.told(s)
	switch s.Input.Fact.(type) {
	case fsm.Boot, fsm.Configured, fsm.Signalled:
		return words
	}
	if !s.About {
		words = "elsewhere: " + words
	}
	return words
}

func (t *teller) told(s Step) string {
	switch in := s.Input.Fact.(type) {
	case fsm.Boot:
		if s.Epoch > 1 {
			return fmt.Sprintf("the daemon started again (epoch %d)", s.Epoch)
		}
		return fmt.Sprintf("the daemon started (epoch %d)", s.Epoch)
	case fsm.Configured:
		return fmt.Sprintf("the configuration was read again (profile %s)", in.Config.Profile)
	case fsm.Signalled:
		return "the daemon got the signal " + in.Name
	case fsm.Requested:
		return t.requested(in)
	case fsm.EventRaised:
		return fmt.Sprintf("an event came from %s: %s", in.Source, strings.TrimSpace(in.Event+" "+in.Subject))
	case fsm.ScheduleDue:
		return fmt.Sprintf("schedule %s is due", in.Schedule)
	case fsm.CancelRequested:
		return "its client asked to cancel it"
	case fsm.Decided:
		word := "denied"
		if in.Approve {
			word = "approved"
		}
		return fmt.Sprintf("%s %s the call %s", cmp.Or(in.By, "a person"), word, in.Key)
	case fsm.Resolved:
		if in.Text == "" {
			return "a person let it go on"
		}
		return "a person said:" + t.text(in.Text)
	case fsm.TimerFired:
		if purpose := t.timers[in.Timer]; purpose != "" {
			return fmt.Sprintf("timer %s fired", purpose)
		}
		return "a timer fired"
	default:
		return t.answered(s.Input)
	}
}

func (t *teller) requested(in fsm.Requested) string {
	var with []string
	if n := len(in.Images); n > 0 {
		with = append(with, wording.Count(n, "image"))
	}
	if n := len(in.Context); n > 0 {
		with = append(with, "a history of "+wording.Count(n, "message"))
	}
	words := "it was accepted"
	if len(with) > 0 {
		words += " with " + strings.Join(with, " and ")
	}
	return words + ":" + t.text(in.Text)
}

// answered is the answer to a call, in words.
func (t *teller) answered(in fsm.Input) string {
	took := t.took(fsm.Answers(in), in.At)
	switch fact := in.Fact.(type) {
	case fsm.BrainAnswered:
		return "the model answered" + took + t.spoken(fact)
	case fsm.BrainFailed:
		return fmt.Sprintf("the model failed%s (%s):%s", took, fact.Class, t.text(fact.Reason))
	case fsm.ToolAnswered:
		return t.returned(fact, took)
	case fsm.ToolStopped:
		return t.name(fact.Call, "the tool") + " has stopped" + took
	case fsm.SessionLoaded:
		known := "the session is new"
		if fact.Session.Version > 0 {
			known = fmt.Sprintf("the session was loaded%s: version %d, %s", took, fact.Session.Version, wording.Count(len(fact.Session.History), "message"))
		}
		return t.failed(fact.Error, "the session could not be loaded", known)
	case fsm.SessionSaved:
		if fact.Conflict {
			return "the session was not saved: somebody else had changed it"
		}
		return t.failed(fact.Error, "the session could not be saved", "the session was saved"+took)
	case fsm.SkillLoaded:
		what := t.name(fact.Call, "the skill")
		return t.failed(fact.Error, what+" could not be loaded", fmt.Sprintf("%s was loaded%s, %s", what, took, size(len(fact.Text))))
	case fsm.Recalled:
		found := "memory found nothing" + took
		if n := len(fact.Entries); n > 0 {
			found = fmt.Sprintf("memory found %d%s:%s", n, took, t.text(fact.Entries[0].Summary))
		}
		return t.failed(fact.Error, "memory could not be searched", found)
	case fsm.Embedded:
		return t.failed(fact.Error, "there is no vector", "a vector came from "+cmp.Or(fact.Model, "the embedder")+took)
	case fsm.Stored:
		return t.failed(fact.Error, "the memory could not be stored", "the memory was stored"+took)
	default:
		return fsm.InputKind(in)
	}
}

// failed is what came of a call, or that it failed and why.
func (t *teller) failed(why, failed, well string) string {
	if why == "" {
		return well
	}
	return failed + ":" + t.text(why)
}

// spoken is what a model said.
func (t *teller) spoken(in fsm.BrainAnswered) string {
	words := ""
	if in.Tokens != (fsm.Tokens{}) {
		words += fmt.Sprintf(", %d + %d tokens", in.Tokens.Prompt, in.Tokens.Answer)
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

// returned is what a tool returned.
func (t *teller) returned(in fsm.ToolAnswered, took string) string {
	name := t.name(in.Call, "the tool")
	if !in.Failed {
		return fmt.Sprintf("%s returned %s%s:%s", name, size(len(in.Text)), took, t.text(in.Text))
	}
	words := name + " failed" + took
	switch {
	case in.Nothing:
		words += " and did nothing"
	case in.Invalid:
		words += ", the call is wrong"
	}
	return words + ":" + t.text(in.Text)
}
