package ask

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"

	"shelly/cmd/shelly/internal/course"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/front/stream"
)

// watching prints events as they happen. Progress goes to standard error, so that standard
// output has the reply alone; on a terminal the reply appears there as it is streamed.
type watching struct {
	t           *terminal.Terminal
	json, quiet bool
	streams     bool // the reply appears as it is streamed
	answers     bool // an answering asks the person, and says how a question has ended

	mu      sync.Mutex // a signal is reported between two events
	text    stream.Text
	lost    string // the printed text of a call that was never answered, while the next call repeats it
	held    string // what the next call has repeated so far
	open    bool   // the last line belongs to the reply and is unfinished
	course  course.Course
	state   *terminal.Line       // shows the current state to a person; nil: each state is a line
	columns int                  // of the terminal
	lasts   func() time.Duration // how long it has been going on; nil: that is not shown
	asking  bool                 // the last line is an unanswered prompt
	cut     bool                 // it was said that the connection is, and nothing has come since
	ended   bool                 // nothing more is shown
}

func (w *watching) show(e comm.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.course.Take(e)
	w.cut = false
	switch {
	case w.json: // programs answer through the API
		_ = w.t.JSONLine(e)
	case w.quiet:
	case e.Type == comm.EventWaiting && w.open: // the line of the reply is not broken by it
		if w.state != nil {
			w.state.DrawBelow(w.stateLine())
		}
	case e.Type == comm.EventChunk && e.Text != "" && w.streams:
		w.pieces(e)
	case w.state != nil && passing(e):
		w.breakLine()
		w.decision(e)
		w.draw()
	default:
		if e.Type != comm.EventReply { // whose text is printed separately
			w.pieces(e)
		}
		if line := eventLine(e); line != "" {
			w.breakLine()
			w.decision(e)
			fmt.Fprintln(w.t.Err, terminal.Printable(line))
			w.draw()
		}
	}
}

// decision prints how a question has ended, unless the person at the terminal is told that in another
// way. The caller holds mu.
func (w *watching) decision(e comm.Event) {
	if e.Decision != nil && (!w.answers || e.Decision.Held()) {
		fmt.Fprintln(w.t.Err, terminal.Printable("· "+e.Decision.Words()))
	}
}

// hear takes an event that is shown in another way, for the text of the answer in it.
func (w *watching) hear(e comm.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pieces(e)
}

// pieces shows what an event adds to the answer. When a call is repeated, its text continues
// where the lost text ended, provided it begins with that text (CLI-214). The caller holds mu.
func (w *watching) pieces(e comm.Event) {
	if !w.streams {
		return
	}
	for _, p := range w.text.Heard(e) {
		switch {
		case p.Lost && e.Whole:
			if w.held = ""; w.lost == "" {
				w.lost = p.Said
			}
		case p.Lost: // that call was answered, and this is a new answer
			w.breakLine()
		case w.lost != "":
			w.again(p, e.Type == comm.EventReply)
		default:
			w.write(p.Text)
		}
	}
}

// again compares a repeated call's text with the text that is already printed. The caller holds
// mu.
func (w *watching) again(p stream.Piece, reply bool) {
	w.held += p.Text
	rest, same := strings.CutPrefix(w.held, w.lost)
	if !same && strings.HasPrefix(w.lost, w.held) && !p.Ends {
		return
	}
	if !same {
		rest = w.held
		w.breakLine()
		if !reply {
			fmt.Fprintln(w.t.Err, "· the answer begins again")
		}
	}
	w.lost, w.held = "", ""
	w.write(rest)
}

// write prints a piece of the answer. The caller holds mu.
func (w *watching) write(text string) {
	if text == "" {
		return
	}
	w.erase()
	fmt.Fprint(w.t.Out, terminal.Printable(text))
	w.open = !strings.HasSuffix(text, "\n")
}

// newWatching returns a watching that shows events on a terminal, or to a program.
func newWatching(t *terminal.Terminal, json, quiet bool) *watching {
	w := &watching{t: t, json: json, quiet: quiet, streams: t.Interactive()}
	if columns := terminal.Columns(t.Err); columns > 0 && terminal.Is(t.Err) && !json && !quiet {
		began := time.Now()
		w.state, w.columns, w.lasts = terminal.NewLine(t.Err), columns, func() time.Duration { return time.Since(began) }
	}
	return w
}

// passing reports whether an event shows only the current state of the request.
func passing(e comm.Event) bool {
	switch e.Type {
	case comm.EventAccepted, comm.EventState, comm.EventQueued, comm.EventWaiting, comm.EventHeld:
		return true
	default:
		return e.Type == comm.EventChunk && e.Text == ""
	}
}

// draw shows the current state. The caller holds mu.
func (w *watching) draw() {
	if w.state != nil && !w.open && !w.asking {
		w.state.Draw(w.stateLine())
	}
}

// stateLine returns the current state on one line, and how long the request has been going on. The
// caller holds mu.
func (w *watching) stateLine() string {
	since := ""
	if w.lasts != nil && w.lasts() >= shownAfter {
		since = " · " + quantity.Time(w.lasts())
	}
	text := "· " + terminal.Printable(w.course.Words(fsm.Millis(time.Now().UnixMilli())))
	return within(text, max(w.columns-1-ansi.StringWidth(since), 1)) + since
}

// reasonLeast is how many columns of a reason are shown in front of what comes next.
const reasonLeast = 12

// within cuts a text to a width: a reason, before what comes next, such as the time until the model
// is asked again, which is what changes (COM-29).
func within(text string, width int) string {
	if i := strings.LastIndex(text, "; "); i >= 0 && ansi.StringWidth(text) > width {
		text = ansi.Truncate(text[:i], max(width-ansi.StringWidth(text[i:]), reasonLeast), "…") + text[i:]
	}
	return ansi.Truncate(text, width, "…")
}

// shownAfter is how long a request takes before that is shown.
const shownAfter = 2 * time.Second

// tick shows the time again, every second until ctx ends.
func (w *watching) tick(ctx context.Context) {
	for t := time.NewTicker(time.Second); ; {
		select {
		case <-t.C:
			w.redraw()
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

func (w *watching) redraw() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state.Redraw(w.stateLine())
}

// erase removes the line of [watching.draw]. The caller holds mu.
func (w *watching) erase() {
	if w.state != nil {
		w.state.Erase()
	}
}

// retry reports that the client tries again, once for all tries until something comes.
func (w *watching) retry() {
	w.mu.Lock()
	said := w.cut
	w.cut = true
	w.mu.Unlock()
	if !said {
		w.say("· no answer from shelly; trying again")
	}
}

// say prints a line that is not an event.
func (w *watching) say(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.json && !w.quiet && !w.ended {
		w.breakLine()
		for part := range strings.SplitSeq(line, "\n") {
			fmt.Fprintln(w.t.Err, terminal.Printable(part))
		}
		w.draw()
	}
}

// ask prints a prompt.
func (w *watching) ask(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.erase()
	fmt.Fprint(w.t.Err, what)
	w.asking = true
}

// answered notes that the person has ended the line of the prompt.
func (w *watching) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking = false
}

// end ends the printed line if no reply follows.
func (w *watching) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breakLine()
	w.ended = true
}

// breakLine ends an unfinished line of the reply.
func (w *watching) breakLine() {
	w.erase()
	if w.asking {
		fmt.Fprintln(w.t.Err)
		w.asking = false
	}
	if w.open {
		fmt.Fprintln(w.t.Out)
		w.open = false
	}
}

// reply prints the part of the reply that has not been printed yet.
func (w *watching) reply(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	switch {
	case w.json: // the last event has it
	case w.streams:
		w.erase()
		w.pieces(comm.Event{Type: comm.EventReply, Text: text})
		w.breakLine()
	default:
		w.breakLine()
		fmt.Fprintln(w.t.Out, text)
	}
}

// argsShown is how many columns of a call's arguments are shown, which may be a whole file;
// request show has the rest.
const argsShown = 400

// eventLine returns an event as one line, or "" if there is nothing to print.
func eventLine(e comm.Event) string {
	switch e.Type {
	case comm.EventAccepted:
		return "· accepted as " + e.ID
	case comm.EventState:
		switch {
		case e.State == state.Queued:
			return "· " + comm.QueuedWords(e.Ahead)
		case e.State == "":
			return "    " + inferenceWords(e) // a step within the state
		case e.Inference != "":
			return fmt.Sprintf("· %s, %s", e.State, inferenceWords(e))
		default:
			return "· " + string(e.State)
		}
	case comm.EventWaiting:
		return "· " + e.Text
	case comm.EventTool:
		return fmt.Sprintf("→ %s %s", e.Tool, ansi.Truncate(e.Args, argsShown, "…"))
	case comm.EventOutput:
		return "  ┊ " + strings.ReplaceAll(strings.TrimRight(e.Text, "\n"), "\n", "\n  ┊ ")
	case comm.EventToolResult:
		mark := "←"
		if e.Failed {
			mark = "✗"
		}
		if e.Args != "" { // others ran at the same time, so the result names its call
			mark += " " + e.Tool + " " + e.Args + ":"
		}
		return mark + " " + strings.ReplaceAll(strings.TrimSpace(e.Text), "\n", "\n  ")
	case comm.EventQueued:
		return "· " + comm.QueuedWords(e.Ahead)
	case comm.EventQuestion:
		return questionLine(e)
	case comm.EventHeld:
		return "· held: waiting for a decision, see shelly request show"
	case comm.EventSubagent:
		return "· " + course.Subagent(e)
	case comm.EventDeferred:
		return "· shelly is stopping; it keeps the request and answers after the next start"
	case comm.EventReply: // its text is printed separately
		if e.Outcome == "" || e.Outcome == fsm.OutcomeAnswered {
			return ""
		}
		return "· ended: " + string(e.Outcome)
	default: // a chunk
		return ""
	}
}

// inferenceWords is the state of an inference, and the profile's name of it (INF-28).
func inferenceWords(e comm.Event) string {
	if e.Label == "" {
		return string(e.Inference)
	}
	return fmt.Sprintf("%s (%s)", e.Inference, e.Label)
}

// questionLine returns what a person is asked, with what an answer must name.
func questionLine(e comm.Event) string {
	switch e.Question {
	case fsm.QuestionApprove:
		return fmt.Sprintf("? may %s %s run? (handle %d, key %s); answer with shelly request approve --handle %d, or deny", e.Tool, e.Args, e.Handle, e.Key, e.Handle)
	case fsm.QuestionUnknown:
		return fmt.Sprintf("? what did %s %s do? (handle %d)", e.Tool, e.Args, e.Handle)
	default:
		return fmt.Sprintf("? it was active in several crashes: shall it resume? (handle %d)", e.Handle)
	}
}
