// Package mail shows the messages that were sent to chats outside any request, and marks those
// that a person has seen.
package mail

import (
	"cmp"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

// Lines returns a message as it is shown: its sender, time and receiver, then its text. Nothing
// in it acts on a terminal.
func Lines(m comm.Message) string {
	mark := "·"
	if m.Unread {
		mark = "●"
	}
	var b strings.Builder
	b.WriteString(mark + " " + Head(m))
	for line := range strings.SplitSeq(strings.TrimSpace(m.Text), "\n") {
		b.WriteString("\n  " + line)
	}
	return terminal.Printable(b.String())
}

// Head returns the sender, time and receiver.
func Head(m comm.Message) string {
	head := moment.Local(m.At).Format(time.DateTime) + "  " + sender(m)
	if to := chat(m.To); to != "" {
		head += " to " + to
	}
	if m.IsError {
		head += ", failed"
	}
	return head
}

// sender names the sender.
func sender(m comm.Message) string {
	switch m.From {
	case comm.FromSchedule:
		return "schedule " + cmp.Or(m.Schedule, strings.TrimPrefix(m.Session, state.ScheduleSession("")))
	case comm.FromEvent:
		return "event source " + strings.TrimPrefix(m.Session, "event:")
	case comm.FromBeat:
		return "the heartbeat"
	case comm.FromSubagent:
		return "a subagent"
	default:
		return "session " + m.Session
	}
}

// chat names a chat; "" if there is none.
func chat(to fsm.Origin) string {
	if to.Chat == "" {
		return to.Channel
	}
	return to.Key()
}

// Marks returns one mark for each chat: its messages are read up to the last of these.
func Marks(list []comm.Message) []inbox.Mark {
	var marks []inbox.Mark
	last := map[fsm.Origin]int{}
	for _, m := range list {
		i, known := last[m.To]
		if !known {
			i = len(marks)
			last[m.To], marks = i, append(marks, inbox.Mark{Channel: m.To.Channel, Chat: m.To.Chat})
		}
		marks[i].Position = max(marks[i].Position, m.Position)
	}
	return marks
}

// Waiting says how many messages are unread; "" if none is.
func Waiting(u comm.Unread) string {
	switch {
	case u.Messages == 0:
		return ""
	case u.More:
		return "more than " + wording.Count(u.Messages, "unread message")
	default:
		return wording.Count(u.Messages, "unread message")
	}
}
