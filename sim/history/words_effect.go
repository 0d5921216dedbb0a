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
	switch e := e.(type) {
	case fsm.SetTimer, fsm.ClearTimer:
		return true
	case fsm.Audit: // that a call has ended its answer says, where there is one
		return !e.Unknown
	default:
		return false
	}
}

// effect is what the machine did at a time, in words. It keeps in mind what was begun.
func (t *teller) effect(e fsm.Effect, now fsm.Millis) string {
	switch e := e.(type) {
	case fsm.AskBrain:
		t.calls[e.Call] = called{"the model", now}
		return asks(e)
	case fsm.RunTool:
		t.calls[e.Call] = called{e.Name, now}
		attempt := ""
		if e.Attempt > 1 {
			attempt = fmt.Sprintf(", attempt %d,", e.Attempt)
		}
		return fmt.Sprintf("runs %s [%s]%s%s", e.Name, e.Effects, attempt, t.args(e.Args))
	case fsm.Recall:
		t.calls[e.Call] = called{"memory", now}
		return "looks into memory for" + t.text(e.Need)
	case fsm.Embed:
		t.calls[e.Call] = called{"the embedder", now}
		return "asks for the vector of" + t.text(e.Text)
	case fsm.Store:
		t.calls[e.Call] = called{"memory", now}
		return "stores in memory" + t.text(e.Entry.Summary)
	case fsm.LoadSession:
		t.calls[e.Call] = called{"the session", now}
		return "loads session " + e.Session
	case fsm.SaveSession:
		t.calls[e.Call] = called{"the session", now}
		return fmt.Sprintf("saves session %s: %s", e.Session, wording.Count(len(e.State.History), "message"))
	case fsm.LoadSkill:
		what := "skill " + strings.TrimSpace(e.Skill+" "+e.Reference)
		t.calls[e.Call] = called{what, now}
		return "loads " + what
	case fsm.AbortCall:
		return "gives up " + t.name(e.Call, "a call")
	case fsm.SetTimer:
		t.timers[e.Timer] = e.Purpose
		return fmt.Sprintf("sets timer %s to %s", e.Purpose, Span(e.After))
	case fsm.ClearTimer:
		if purpose := t.timers[e.Timer]; purpose != "" {
			return fmt.Sprintf("clears timer %s", purpose)
		}
		return "clears a timer"
	default:
		return t.says(e)
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

// says is an effect that tells somebody something, or ends something.
func (t *teller) says(e fsm.Effect) string {
	switch e := e.(type) {
	case fsm.Reply:
		words := "replies"
		if e.IsError {
			words += " with an error"
		}
		return fmt.Sprintf("%s (%s):%s", words, e.Outcome, t.text(e.Text))
	case fsm.Notify:
		if e.Notice == fsm.NoticeQueued {
			return fmt.Sprintf("tells its client: queued, %d ahead", e.Ahead)
		}
		return fmt.Sprintf("tells its client: %s", e.Notice)
	case fsm.AskPerson:
		return "asks a person: " + t.question(e)
	case fsm.Report:
		return "tells the operator:" + t.text(e.Text)
	case fsm.SendMessage:
		return fmt.Sprintf("sends to %s:%s%s", e.To.Channel, e.To.Chat, t.text(e.Text))
	case fsm.Audit:
		if e.Unknown {
			return fmt.Sprintf("tells the model that nobody knows what %s%s did", e.Tool, t.args(e.Args))
		}
		if e.Failed {
			return fmt.Sprintf("records that %s failed", e.Tool)
		}
		return fmt.Sprintf("records that %s has ended", e.Tool)
	case fsm.ArmSchedule:
		return "arms schedule " + e.Schedule
	case fsm.DisarmSchedule:
		return "ends schedule " + e.Schedule
	case fsm.Exit:
		return fmt.Sprintf("ends the process (%s)", e.Code)
	default:
		return fsm.EffectKind(e)
	}
}

// question is what a person is asked.
func (t *teller) question(e fsm.AskPerson) string {
	switch e.Question {
	case fsm.QuestionApprove:
		return fmt.Sprintf("may %s%s run?", e.Tool, t.args(e.Args))
	case fsm.QuestionUnknown:
		return fmt.Sprintf("what did %s%s do?", e.Tool, t.args(e.Args))
	case fsm.QuestionDoubt:
		return "shall it go on despite a doubt?" + t.text(e.Text)
	default:
		return "it was active in several crashes: shall it go on?"
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
