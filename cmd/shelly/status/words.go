package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/mail"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/schedule"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/ollama"
	"shelly/sim/history"
)

// errorsShown is how many of the last warnings and errors are shown.
const errorsShown = 5

// textShown is how many characters of a text are shown.
const textShown = 48

// nameColumns is the width of the names, with the blank after them.
const nameColumns = 11

// sheet is a status in words: a name on the left, lines to its right.
type sheet struct {
	b    strings.Builder
	name string
}

// line adds a line; only the first of several has the name.
func (s *sheet) line(name, format string, args ...any) {
	shown := name
	if name == s.name {
		shown = ""
	}
	s.name = name
	fmt.Fprintf(&s.b, "%-*s %s\n", nameColumns-1, shown, fmt.Sprintf(format, args...))
}

// Words describes the state of a daemon.
func Words(st comm.Status, models []ollama.Loaded, now fsm.Millis) string {
	s := &sheet{}
	up := quantity.Time(time.Duration(st.UptimeMS) * time.Millisecond)
	doing := string(st.Lifecycle)
	if st.Lifecycle == state.Down { // it answers, so it is not down; the line "held" says why
		doing = "not started yet"
	}
	s.line("shelly", "%s, up %s, %s (%s)", doing, up, cmp.Or(st.Version, "unknown version"), wording.Count(st.Epoch, "start"))
	s.model(st, models, now)
	s.work(st, now)
	for _, c := range st.Schedules {
		s.schedule(c)
	}
	if b := st.Heartbeat; b != nil {
		s.heartbeat(*b)
	}
	if e := st.Events; e != nil {
		s.line("events", "%s, %d raised since the start: see shelly event list", wording.Count(e.Sources, "source"), e.Raised)
		for _, why := range e.Trouble {
			s.line("events", "sees nothing: %s", why)
		}
	}
	if c := st.Channels; c != nil {
		s.line("channels", "%s, %d in and %d out since the start: see shelly channel list", wording.Count(c.Channels, "channel"), c.Received, c.Sent)
		for _, why := range c.Trouble {
			s.line("channels", "does not work: %s", why)
		}
	}
	if b := st.MCP; b != nil {
		s.line("mcp", "%s", b.Words())
		for _, why := range b.Trouble {
			s.line("mcp", "is not up: %s", why)
		}
	}
	if len(st.Clients) > 0 {
		s.line("clients", "%s", comm.ClientWords(st.Clients))
	}
	if st.Unread != nil {
		s.line("messages", "%s since %s: see shelly messages", mail.Waiting(*st.Unread), clock(st.Unread.Since))
	}
	s.kept(st)
	if n := len(st.Errors); n > errorsShown {
		st.Errors = st.Errors[n-errorsShown:]
	}
	for _, e := range st.Errors {
		text := e.Text
		if e.Times > 1 {
			text += fmt.Sprintf(" (%d times)", e.Times)
		}
		s.line("last said", "%s %s %s", clock(e.At), strings.ToLower(e.Level), text)
	}
	return s.b.String()
}

// model shows what answers, how fast it reads, and what memory it takes.
func (s *sheet) model(st comm.Status, models []ollama.Loaded, now fsm.Millis) {
	s.line("model", "%s", st.Brain)
	if st.Pace != nil && st.Pace.Reads > 0 {
		s.line("model", "reads about %s a second", wording.Count(int(st.Pace.Reads), "token"))
	}
	if st.Spent != nil {
		s.line("model", "since the start %s", history.Cost(*st.Spent))
	}
	for _, m := range models {
		text := fmt.Sprintf("%s is loaded and takes %s", m.Name, quantity.Bytes(m.Bytes))
		if m.OnGPU() > 0 {
			text += fmt.Sprintf(" (%d%% on the GPU)", m.OnGPU())
		}
		if left := m.Until.Sub(moment.Local(now)); left > 0 && left < 24*time.Hour {
			text += ", for another " + quantity.Time(left)
		}
		s.line("model", "%s", text)
	}
	// A server names models with the same weights by the one of them that was loaded first.
	if name := st.Model; name != "" && len(models) > 0 && !slices.ContainsFunc(models, func(m ollama.Loaded) bool { return ollama.SameModel(m.Name, name) }) {
		s.line("model", "%s is not loaded, or goes by the name of a model with the same weights", name)
	}
}

// work shows what runs, what a person is asked, and what waits.
func (s *sheet) work(st comm.Status, now fsm.Millis) {
	if len(st.Active) == 0 && st.Waiting == 0 {
		s.line("work", "none")
	}
	for _, a := range st.Active {
		if a.Asks != nil {
			continue
		}
		doing := string(a.State)
		if a.Inference != "" {
			doing += ", " + string(cmp.Or(a.Label, a.Inference))
		}
		if a.Waits != "" {
			doing += ": " + a.Waits
		}
		if a.Since != 0 {
			doing += ", for " + history.Span(now-a.Since)
		}
		s.line("runs", "%s  %s  %s", who(a.Handle, a.Request, a.Kind, a.Session), doing, said(a.Text))
	}
	for _, a := range st.Active {
		if a.Asks == nil {
			continue
		}
		q := history.Question(fsm.AskPerson{Question: a.Asks.Question, Tool: a.Asks.Tool, Args: a.Asks.Args, Text: a.Asks.Text})
		s.line("asks you", "%s  %s", who(a.Handle, a.Request, a.Kind, a.Session), q)
		s.line("asks you", "    answer with: shelly request %s --handle %d", answer(a.Asks.Question), a.Asks.Handle)
	}
	summaries := 0
	for _, q := range st.Queue {
		if q.Kind == fsm.KindMemory {
			if summaries++; summaries > summariesShown {
				continue
			}
		}
		s.line("waits", "%s  %s  %s", who(q.Handle, q.Request, q.Kind, q.Session), q.Why, said(q.Text))
	}
	if n := summaries - summariesShown; n > 0 {
		s.line("waits", "and %d more for the memory", n)
	}
	if n := st.Waiting - len(st.Queue); n > 0 && len(st.Queue) == comm.QueueMax {
		s.line("waits", "and %d more", n)
	}
	if st.NoSpace != "" {
		s.line("held", "%s", st.NoSpace)
	}
}

// summariesShown is how much work for the memory is listed while it waits: after many sessions there
// is much of it, and nobody waits for it.
const summariesShown = 3

// answer returns the verb that answers a question.
func answer(q fsm.Question) string {
	if q == fsm.QuestionApprove {
		return "approve"
	}
	return "resolve"
}

// who names a piece of work: a request by its id, anything else by its handle's.
func who(id fsm.HandleID, request string, kind fsm.Kind, session string) string {
	if kind == fsm.KindUser {
		return terminal.Cut(request, 12) + " in " + session
	}
	return fmt.Sprintf("%s %s in %s", kind, id.Entry(), cmp.Or(session, "no session"))
}

func said(text string) string { return `"` + terminal.Cut(text, textShown) + `"` }

func (s *sheet) schedule(c comm.Schedule) {
	next := "next " + due(c.Next)
	switch {
	case c.Paused:
		next = "paused"
	case c.Next == 0:
		next = "no time left"
	}
	if c.Running != 0 {
		next += fmt.Sprintf(", %s %s", c.Running.Entry(), c.State)
	}
	s.line("schedules", "%s  %s  %s  %s", c.ID, schedule.When(c), next, said(c.Text))
}

func (s *sheet) heartbeat(b comm.Heartbeat) {
	text := "every " + quantity.Time(time.Duration(b.EveryMS)*time.Millisecond) + "  next " + due(b.Next)
	switch {
	case b.Silent:
		text += ", which does nothing in the quiet hours, " + quiet(b)
	case b.Quiet != "":
		text += "  quiet " + quiet(b)
	}
	s.line("heartbeat", "%s", text)
}

// quiet is the quiet hours with their zone, which need not be that of the terminal (CLI-215). A daemon
// that is older than this program does not say it.
func quiet(b comm.Heartbeat) string {
	if b.Zone == "" {
		return b.Quiet
	}
	return b.Quiet + " (" + b.Zone + ")"
}

// kept shows what is kept, and what resources the process uses.
func (s *sheet) kept(st comm.Status) {
	if m := st.Memory; m != nil {
		text := wording.Counted(m.Entries, "entry", "entries")
		switch {
		case m.Loading:
			text += ", being read"
		case m.Pending > 0:
			text += fmt.Sprintf(", %d to be embedded", m.Pending)
		}
		s.line("memory", "%s", text)
	}
	if u := st.Upkeep; u != nil {
		s.line("memory", "%s", upkeep(u.Failed))
	}
	if d := st.Disk; d != nil {
		text := fmt.Sprintf("the store takes %s", quantity.Bytes(int64(d.Store)))
		if t := st.Texts; t != nil && t.Count > 0 {
			text += fmt.Sprintf(", %s in it %s", wording.Count(t.Count, "kept result"), quantity.Bytes(t.Bytes))
		}
		if d.Free != nil {
			reserve := config.Bytes(d.Reserve).String() // as it is set
			of := reserve + " of them in reserve"
			if *d.Free < d.Reserve {
				of = "less than the reserve of " + reserve
			}
			text += fmt.Sprintf("; %s are free, %s", quantity.Bytes(int64(*d.Free)), of)
		}
		s.line("disk", "%s", text)
	}
	for _, where := range st.Damage {
		s.line("damage", "%s", where)
	}
	if p := st.Process; p != nil && p.Resident > 0 {
		s.line("process", "%d, %s of memory", p.PID, quantity.Bytes(p.Resident))
	}
}

// upkeep reports that summaries and consolidations fail.
func upkeep(failed int) string {
	attempts := "attempt"
	if failed > 1 {
		attempts = wording.Count(failed, "attempt")
	}
	return fmt.Sprintf("the last %s at a summary or a consolidation failed; see shelly doctor", attempts)
}

// due formats a time at which something runs, with the user's zone: it may be set in another.
func due(at fsm.Millis) string { return clock(at) + moment.Local(at).Format(" MST") }

// clock formats a time in the user's zone, without the date if it is today.
func clock(at fsm.Millis) string {
	t := moment.Local(at)
	if now := time.Now(); t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
