package history

import (
	"cmp"
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// clientEffects and clientFacts put what is about clients and persons in words.
func clientEffects() []effectRow {
	return []effectRow{
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
		fsm.OnEffect(func(t *teller, e fsm.SendMessage) string {
			return fmt.Sprintf("sends to %s:%s%s", e.To.Channel, e.To.Chat, t.text(e.Text))
		}),
	}
}

func clientFacts() []factRow {
	return []factRow{
		ofHandle((*teller).requested),
		ofHandle(func(_ *teller, f fsm.CancelRequested) string {
			if f.Handle != 0 {
				return "a person asked to cancel it"
			}
			return "its client asked to cancel it"
		}),
		ofDaemon(func(_ *teller, f fsm.ScheduleChanged) string {
			return strings.TrimSpace(fmt.Sprintf("%s: %s schedule %s", cmp.Or(f.By, "a person"), f.Change, f.Schedule))
		}),
		ofHandle(func(t *teller, f fsm.Decided) string {
			word := "denied"
			if f.Approve {
				word = "approved"
			}
			said := fmt.Sprintf("%s %s the call %s%s", cmp.Or(f.By, "a person"), word, f.Key, scopeWords(f.Grant))
			if f.Reason != "" {
				said += " and says:" + t.text(f.Reason)
			}
			return said
		}),
		ofDaemon(func(_ *teller, f fsm.Revoked) string {
			return fmt.Sprintf("%s took the grant %s back", cmp.Or(f.By, "a person"), f.Grant)
		}),
		ofDaemon(func(t *teller, f fsm.Typing) string {
			said := "a person began to write"
			if f.Session != "" {
				said += " in session " + f.Session
			}
			if f.Unloaded {
				said += "; the model was not loaded"
			}
			return said
		}),
		ofHandle(func(t *teller, f fsm.Resolved) string {
			if f.Text == "" {
				return "a person let it go on"
			}
			return "a person said:" + t.text(f.Text)
		}),
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

// scopeWords is how far an approval goes.
func scopeWords(scope fsm.GrantScope) string {
	switch scope {
	case fsm.GrantSession:
		return ", and those like it in this session"
	case fsm.GrantAlways:
		return ", and those like it in every session"
	default:
		return ""
	}
}

func (t *teller) question(e fsm.AskPerson) string {
	switch e.Question {
	case fsm.QuestionApprove:
		why := ""
		if e.Text != "" { // the tool itself asks (APR-19)
			why = " (" + strings.Join(strings.Fields(e.Text), " ") + ")"
		}
		return fmt.Sprintf("may %s%s run?%s", e.Tool, t.args(e.Args), why)
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
