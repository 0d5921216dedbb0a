package ask

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"

	"shelly/cmd/shelly/internal/question"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// answering asks the person at the terminal what the request waits for (CLI-120). It is nil
// where no person is present.
type answering struct {
	w      *watching
	decide func(ctx context.Context, about client.About, d client.Decision) (bool, error)

	mu      sync.Mutex
	open    *comm.Event // the question that a line answers
	because bool        // it is refused, with the reason in the next line
	done    string      // the key of the last question that was answered

	cancelling bool // by the person here
}

// newAnswering returns an answering if a person can read and answer at the terminal, or else nil.
func newAnswering(t *terminal.Terminal, w *watching, daemon *client.Client) *answering {
	if !terminal.Is(t.In) || !terminal.Is(t.Err) || w.json || w.quiet {
		return nil
	}
	w.answers = true
	return &answering{w: w, decide: daemon.Decide}
}

// show handles an event, and reports whether it has shown it.
func (a *answering) show(e comm.Event) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case e.Type == comm.EventQuestion && e.Question == fsm.QuestionApprove:
		if e.Key != a.done && (a.open == nil || a.open.Key != e.Key) { // a stream that was resumed repeats it
			a.open, a.because = &e, false
			a.w.say(question.Text(e))
			a.prompt()
		}
		return true
	case e.Type == comm.EventHeld && a.open != nil:
		return true
	case a.open != nil && e.Type == comm.EventState && e.State == state.Parked:
		a.open = nil
		a.w.say("· shelly was restarted; it asks again")
	case a.open != nil && (e.Type == comm.EventReply || e.Type == comm.EventState && e.State != "" && e.State != state.Approving):
		if !a.cancelling || e.Decision != nil { // else it was said
			a.w.say("· " + question.Ended(*a.open, e))
		}
		a.open = nil
	}
	return false
}

// cancels notes that the person cancels the request, and with it its question.
func (a *answering) cancels() {
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.cancelling = true
	}
}

const (
	choices = "  " + question.Choices + " "
	reason  = "  no, because "
)

func (a *answering) prompt() { a.w.ask(choices) }

// listen answers with the lines of the terminal until ctx ends or there are no more.
func (a *answering) listen(ctx context.Context, in io.Reader) {
	lines := bufio.NewScanner(in)
	for lines.Scan() && ctx.Err() == nil {
		a.line(ctx, lines.Text())
	}
}

// line handles a line that the person has typed. One that does not answer a question is
// ignored.
func (a *answering) line(ctx context.Context, line string) {
	a.w.answered()
	a.mu.Lock()
	open := a.open
	if open == nil {
		a.mu.Unlock()
		return
	}
	d, more := a.decision(line)
	if more == "" { // so that its outcome is not shown as somebody else's answer
		d.Key, a.open, a.done = open.Key, nil, open.Key
	}
	a.mu.Unlock()
	if more != "" {
		a.w.ask(more)
		return
	}
	taken, err := a.decide(ctx, client.About{Handle: open.Handle}, d)
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case err != nil:
		a.w.say("✗ " + err.Error())
		a.open, a.done = open, ""
		a.prompt()
	case !taken:
		a.w.say("· not accepted: it was answered before, or timed out")
	default:
		a.w.say("· " + question.Words(d))
	}
}

// decision reads a line as the answer to the open question. More is what the person is asked
// then, "" if it is one.
func (a *answering) decision(line string) (d client.Decision, more string) {
	switch d, ok := question.Decision(line); {
	case a.because:
		a.because = false
		return client.Decision{Reason: strings.TrimSpace(line)}, ""
	case question.Because(line):
		a.because = true
		return d, reason
	case !ok:
		return d, choices
	default:
		return d, ""
	}
}
