package ask

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// answering asks the person at the terminal what the request waits for (CLI-120). Nil:
// nobody is there.
type answering struct {
	w      *watching
	decide func(ctx context.Context, about client.About, d client.Decision) (bool, error)

	mu   sync.Mutex
	open *comm.Event // the question that a line answers
	done string      // the key of the last one that was answered
}

// newAnswering returns one where a person is there to read and to write.
func newAnswering(t *terminal.Terminal, w *watching, daemon *client.Client) *answering {
	if !terminal.Is(t.In) || !terminal.Is(t.Err) || w.json || w.quiet {
		return nil
	}
	return &answering{w: w, decide: daemon.Decide}
}

// show takes an event, and reports whether it has shown it.
func (a *answering) show(e comm.Event) bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case e.Type == comm.EventQuestion && e.Question == fsm.QuestionApprove:
		if e.Key != a.done && (a.open == nil || a.open.Key != e.Key) { // a stream that was cut tells it again
			a.open = &e
			a.w.say(questionText(e))
			a.prompt()
		}
		return true
	case e.Type == comm.EventHeld && a.open != nil:
		return true
	case a.open != nil && e.Type == comm.EventState && e.State == state.Parked:
		a.open = nil
		a.w.say("· shelly was started again; it asks once more")
	case a.open != nil && (e.Type == comm.EventReply || e.Type == comm.EventState && e.State != "" && e.State != state.Approving):
		a.open = nil
		a.w.say("· no longer asked: it was answered elsewhere, cancelled, or is out of time")
	}
	return false
}

const choices = "  [y]es, [n]o, for this [s]ession, [a]lways? "

func (a *answering) prompt() { a.w.ask(choices) }

// listen answers with the lines of the terminal until ctx ends or there are no more.
func (a *answering) listen(ctx context.Context, in io.Reader) {
	lines := bufio.NewScanner(in)
	for lines.Scan() && ctx.Err() == nil {
		a.line(ctx, lines.Text())
	}
}

// line takes a line that the person has typed. One that answers no question is of no account.
func (a *answering) line(ctx context.Context, line string) {
	a.w.answered()
	a.mu.Lock()
	open := a.open
	d, ok := decisionOf(line)
	if open != nil && ok { // what comes of it is not somebody else's answer
		d.Key, a.open, a.done = open.Key, nil, open.Key
	}
	a.mu.Unlock()
	switch {
	case open == nil:
		return
	case !ok:
		a.prompt()
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
		a.w.say("· not taken: it was answered before, or is out of time")
	default:
		a.w.say("· " + wordsOf(d))
	}
}

// decisionOf reads what a person has typed.
func decisionOf(line string) (d client.Decision, ok bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		d.Approve = true
	case "n", "no":
	case "s", "session":
		d.Approve, d.Grant = true, fsm.GrantSession
	case "a", "always":
		d.Approve, d.Grant = true, fsm.GrantAlways
	default:
		return d, false
	}
	return d, true
}

func wordsOf(d client.Decision) string {
	switch {
	case !d.Approve:
		return "refused"
	case d.Grant == fsm.GrantSession:
		return "approved for this session; see shelly approval list"
	case d.Grant == fsm.GrantAlways:
		return "approved for always; see shelly approval list"
	default:
		return "approved"
	}
}

// questionText is a question with what the person needs to answer it: the arguments a line each,
// what the call would do, and what further calls "for this session" and "always" would cover.
func questionText(e comm.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "? may %s run?", e.Tool)
	if e.Text != "" {
		fmt.Fprintf(&b, " (%s)", e.Text)
	}
	for _, line := range argumentLines(e.Args) {
		b.WriteString("\n    " + line)
	}
	if e.Preview != "" {
		b.WriteString("\n  it would do this:")
		for line := range strings.Lines(e.Preview) {
			b.WriteString("\n    " + strings.TrimRight(line, "\n"))
		}
	}
	b.WriteString("\n  session and always: " + coveredBy(e.Subject))
	return b.String()
}

// coveredBy is what a grant for a call would cover (APR-13).
func coveredBy(subject []string) string {
	if len(subject) == 0 {
		return "the same call, with the same arguments"
	}
	return "calls with the same " + strings.Join(subject, ", ")
}

// argumentBytesMax is how much of an argument is shown.
const argumentBytesMax = 2000

// argumentLines are the arguments of a call, one a line, in their order.
func argumentLines(args string) []string {
	d := json.NewDecoder(strings.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return []string{args}
	}
	var lines []string
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return []string{args}
		}
		text := string(value)
		var s string
		if json.Unmarshal(value, &s) == nil {
			text = s
		}
		if len(text) > argumentBytesMax {
			text = strings.ToValidUTF8(text[:argumentBytesMax], "") + " …"
		}
		lines = append(lines, fmt.Sprintf("%v: %s", name, strings.ReplaceAll(text, "\n", "\n      ")))
	}
	return lines
}
