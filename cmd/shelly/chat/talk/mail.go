package talk

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/mail"
	"shelly/cmd/shelly/internal/markdown"
	"shelly/fsm"
	"shelly/fsm/wording"
)

// mail shows messages to the chat, which then count as read (CLI-158).
func (m *Model) mail(in Mail) []Effect {
	for _, msg := range in.Messages {
		lines := []string{m.style.purple("● ") + m.style.dim(line(mail.Head(msg)))}
		for _, part := range markdown.Render(clean(strings.TrimSpace(msg.Text)), m.columns()-2, m.style.markdown()) {
			lines = append(lines, "  "+part)
		}
		m.print(mailed, lines...)
	}
	if in.More > 0 {
		m.tell("and " + wording.Count(in.More, "unread message") + ": /messages shows them")
	}
	if len(in.Messages) == 0 {
		return nil
	}
	return []Effect{Read{Messages: in.Messages}}
}

// past shows what was said in the session before.
func (m *Model) past(p Past) {
	if p.Earlier > 0 {
		m.tell(fmt.Sprintf("%s before this: shelly session show %s", wording.Count(int(p.Earlier), "message"), wording.ShellArgument(p.Session)))
	}
	var open []fsm.ToolCall // of the message before, whose results follow in their order

	// anew reports whether the session was started over after the message before.
	anew := func(until fsm.Millis) bool {
		at := 0
		for at < len(p.Anew) && p.Anew[at] < until {
			at++
		}
		p.Anew = p.Anew[at:]
		return at > 0
	}
	const begins = "/new: from here on a new conversation"
	days := days{today: day(m.now)}
	for i, a := range p.Messages {
		if a.Message.Role == fsm.RoleUser {
			if anew(a.At) && i > 0 {
				m.tell(begins)
			}
			if name := days.of(a.At, m.now.Location()); name != "" {
				m.tell(name)
			}
		}
		switch msg := a.Message; msg.Role {
		case fsm.RoleUser:
			if !msg.ByPerson() {
				m.tell(clean(msg.Text))
				continue
			}
			m.print(asked, m.asked(clean(strings.TrimSpace(msg.Text)))...)
		case fsm.RoleTool:
			i := &item{kind: called, tool: msg.Tool, text: msg.Text, done: true, past: true}
			if len(open) > 0 && open[0].Name == msg.Tool {
				i.args, open = open[0].Args, open[1:]
			}
			m.print(called, m.itemLines(i, false)...)
		default:
			open = msg.Calls
			if text := strings.TrimSpace(msg.Text); text != "" {
				m.print(said, m.itemLines(&item{kind: said, text: text, done: true}, false)...)
			}
		}
	}
	if anew(math.MaxInt64) {
		m.tell(begins)
	}
	what := "session "
	if p.New {
		what = "new session "
	}
	m.tell(what + p.Session + m.answering() + "; /help")
}

// days names the days on which messages were said, each once.
type days struct{ today, last string }

// of returns the day of a time, if the message before was said on another one; "" also for today, unless
// an earlier day was named, and for an unknown time.
func (d *days) of(at fsm.Millis, zone *time.Location) string {
	if at == 0 {
		return ""
	}
	this := day(time.UnixMilli(int64(at)).In(zone))
	before := d.last
	d.last = this
	switch {
	case this == before, before == "" && this == d.today:
		return ""
	case this == d.today:
		return "today"
	}
	return this
}

func day(at time.Time) string { return at.Format("Monday, " + time.DateOnly) }

// answering names the model, if it is known.
func (m *Model) answering() string {
	if m.brain == "" {
		return ""
	}
	what, _, _ := strings.Cut(m.brain, " at http") // /status shows where it is
	return ", " + what
}

// saidRows is how many lines of a command's output are shown: of a longer one its beginning and its end,
// because some lists begin with the newest and others end with it (CLI-210).
const saidRows = 200

// outputColumns is the width of a command's output, which is indented.
func (m *Model) outputColumns() int { return max(m.width-3, 8) }

// said shows the output of a command.
func (m *Model) said(s Said) {
	text := strings.TrimRight(clean(s.Text), "\n ")
	if text == "" {
		return
	}
	lines := hanging(text, m.outputColumns())
	if len(lines) > saidRows {
		left := "… " + wording.Count(len(lines)-saidRows, "line") + " left out …"
		lines = slices.Concat(lines[:saidRows/2], []string{left}, lines[len(lines)-saidRows/2:])
	}
	for i, l := range lines {
		if lines[i] = "  " + l; s.Failed {
			lines[i] = m.style.red(lines[i])
		}
	}
	m.print(noted, lines...)
}
