package history

import (
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Minor reports whether an effect is bookkeeping: a timer, or the record of a call
// whose start and end are told anyway.
func Minor(e fsm.Effect) bool {
	_, set := e.(fsm.SetTimer)
	_, clear := e.(fsm.ClearTimer)
	audit, ok := e.(fsm.Audit) // that a call has ended its answer says, where there is one
	return set || clear || ok && !audit.Unknown
}

// effect is what the machine did at a time, in words. It keeps in mind what was begun.
func (t *teller) effect(e fsm.Effect, now fsm.Millis) string {
	t.now = now
	return effectWords.Do(t, e)
}

// argsNameMax is how much of its arguments, in bytes, names a call that ran beside others.
const argsNameMax = 60

// effectWords puts each kind of effect in words.
var effectWords = fsm.NewEffectTable(
	fsm.OnEffect(func(t *teller, e fsm.AskBrain) string {
		t.begins(e, "the model")
		return asks(e)
	}),
	fsm.OnEffect(func(t *teller, e fsm.RunTool) string {
		what, beside := e.Name, ""
		if t.tools > 1 { // each has a name of its own then (INF-44)
			head, _ := cut(strings.Join(strings.Fields(e.Args), " "), argsNameMax)
			what, beside = e.Name+" "+head, fmt.Sprintf(", one of %d at once", t.tools)
		}
		t.begins(e, what)
		if e.Attempt > 1 {
			beside += fmt.Sprintf(", attempt %d", e.Attempt)
		}
		if beside != "" {
			beside += ","
		}
		return fmt.Sprintf("runs %s [%s]%s%s", e.Name, e.Effects, beside, t.args(e.Args))
	}),
	fsm.OnEffect(func(t *teller, e fsm.Recall) string {
		t.begins(e, "memory")
		return "looks into memory for" + t.text(e.Need)
	}),
	fsm.OnEffect(func(t *teller, e fsm.Embed) string {
		t.begins(e, "the embedder")
		return "asks for the vector of" + t.text(e.Text)
	}),
	fsm.OnEffect(func(t *teller, e fsm.Store) string {
		t.begins(e, "memory")
		return "stores in memory" + t.text(e.Entry.Summary)
	}),
	fsm.OnEffect(func(t *teller, e fsm.LoadSession) string {
		t.begins(e, "the session")
		return "loads session " + e.Session
	}),
	fsm.OnEffect(func(t *teller, e fsm.SaveSession) string {
		t.begins(e, "the session")
		return fmt.Sprintf("saves session %s: %s", e.Session, wording.Count(len(e.State.History), "message"))
	}),
	fsm.OnEffect(func(t *teller, e fsm.LoadSkill) string {
		what := "skill " + strings.TrimSpace(e.Skill+" "+e.Reference)
		t.begins(e, what)
		return "loads " + what
	}),
	fsm.OnEffect(func(t *teller, e fsm.RunProbe) string {
		t.begins(e, e.Name)
		return fmt.Sprintf("asks %s what became of the call%s", e.Name, t.args(e.Args))
	}),
	fsm.OnEffect(func(t *teller, e fsm.ReadText) string {
		t.begins(e, "the result")
		return fmt.Sprintf("reads on in a kept result, from byte %d", e.From)
	}),
	fsm.OnEffect(func(t *teller, e fsm.AbortCall) string { return "gives up " + t.name(e.Call, "a call") }),
	fsm.OnEffect(func(t *teller, e fsm.SetTimer) string {
		t.timers[e.Timer] = e.Purpose
		return fmt.Sprintf("sets timer %s to %s", e.Purpose, Span(e.After))
	}),
	fsm.OnEffect(func(t *teller, e fsm.ClearTimer) string {
		if purpose := t.timers[e.Timer]; purpose != "" {
			return fmt.Sprintf("clears timer %s", purpose)
		}
		return "clears a timer"
	}),
	fsm.OnEffect(func(t *teller, e fsm.Reply) string {
		words := "replies"
		if e.IsError {
			words += " with an error"
		}
		return fmt.Sprintf("%s (%s):%s", words, e.Outcome, t.text(e.Text))
	}),
	fsm.OnEffect(func(_ *teller, e fsm.Notify) string {
		if e.Notice == fsm.NoticeQueued {
			return fmt.Sprintf("tells its client: queued, %d ahead", e.Ahead)
		}
		return fmt.Sprintf("tells its client: %s", e.Notice)
	}),
	fsm.OnEffect(func(t *teller, e fsm.AskPerson) string { return "asks a person: " + t.question(e) }),
	fsm.OnEffect(func(t *teller, e fsm.Report) string { return "tells the operator:" + t.text(e.Text) }),
	fsm.OnEffect(func(t *teller, e fsm.SendMessage) string {
		return fmt.Sprintf("sends to %s:%s%s", e.To.Channel, e.To.Chat, t.text(e.Text))
	}),
	fsm.OnEffect(func(t *teller, e fsm.Audit) string {
		if e.Unknown {
			return fmt.Sprintf("tells the model that the outcome of %s%s is unknown", e.Tool, t.args(e.Args))
		}
		if e.Failed {
			return fmt.Sprintf("records that %s failed", e.Tool)
		}
		return fmt.Sprintf("records that %s has ended", e.Tool)
	}),
	fsm.OnEffect(func(_ *teller, e fsm.ArmSchedule) string { return "arms schedule " + e.Schedule }),
	fsm.OnEffect(func(_ *teller, e fsm.DisarmSchedule) string { return "ends schedule " + e.Schedule }),
	fsm.OnEffect(func(_ *teller, e fsm.Exit) string { return fmt.Sprintf("ends the process (%s)", e.Code) }),
)

// begins keeps in mind what a call was begun of, and when.
func (t *teller) begins(call fsm.Effect, what string) {
	t.calls[fsm.CallOf(call)] = called{what, t.now}
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

// question is what a person is asked.
func (t *teller) question(e fsm.AskPerson) string {
	switch e.Question {
	case fsm.QuestionApprove:
		return fmt.Sprintf("may %s%s run?", e.Tool, t.args(e.Args))
	case fsm.QuestionUnknown:
		return fmt.Sprintf("what did %s%s do?", e.Tool, t.args(e.Args))
	case fsm.QuestionDoubt:
		return "shall it resume despite a doubt?" + t.text(e.Text)
	default:
		return "it was active in several crashes: shall it resume?"
	}
}

// Question is what a person is asked, on one line.
func Question(e fsm.AskPerson) string {
	t := teller{textMax: questionMax}
	return t.question(e)
}

// questionMax is how much of a call's arguments, in bytes, a question tells: enough to
// judge it by.
const questionMax = 2000
