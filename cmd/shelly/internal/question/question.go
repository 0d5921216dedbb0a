// Package question words the question that a person is asked about a tool call, and parses the
// answer, for shelly ask and shelly chat (CLI-120).
package question

import (
	"encoding/json"
	"fmt"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// Choices lists the possible answers.
const Choices = "[y]es, [n]o, no [b]ecause …, for this [s]ession, [a]lways?"

// Because reports whether a person has typed that they refuse, and that the reason follows.
func Because(line string) bool {
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "b" || word == "because"
}

// Decision parses what a person has typed. After a no, or because, the rest is the reason.
func Decision(line string) (d client.Decision, ok bool) {
	word, rest := strings.TrimSpace(line), ""
	if at := strings.IndexAny(word, " \t,.:;"); at >= 0 {
		word, rest = word[:at], strings.TrimLeft(word[at:], " \t,.:;")
	}
	switch strings.ToLower(word) {
	case "n", "no":
		return client.Decision{Reason: rest}, true
	case "b", "because":
		return client.Decision{Reason: rest}, rest != ""
	case "y", "yes":
		d.Approve = true
	case "s", "session":
		d.Approve, d.Grant = true, fsm.GrantSession
	case "a", "always":
		d.Approve, d.Grant = true, fsm.GrantAlways
	default:
		return d, false
	}
	return d, rest == ""
}

// Words describes a decision.
func Words(d client.Decision) string {
	switch {
	case !d.Approve:
		return "refused"
	case d.Grant == fsm.GrantSession:
		return "approved for this session; see shelly approval list"
	case d.Grant == fsm.GrantAlways:
		return "approved from now on; see shelly approval list"
	default:
		return "approved"
	}
}

// Ended says how a question has ended that was not answered here, by the event that followed; an older
// daemon does not tell.
func Ended(asked, then comm.Event) string {
	switch {
	case then.Decision != nil:
		return fmt.Sprintf("may %s run? %s", asked.Tool, then.Decision.Words())
	case then.State == state.Cancelled, then.Outcome == fsm.OutcomeCancelled:
		return "no longer asked: the request was cancelled"
	default:
		return "no longer asked: it was answered elsewhere, cancelled, or timed out"
	}
}

// Text returns a question with what the person needs to answer it.
func Text(e comm.Event) string { return strings.Join(Parts(e), "\n") }

// Parts returns the texts that a question consists of: which tool may run, its arguments, one on each
// line, what the call would do, and which further calls "for this session" and "always" would cover.
func Parts(e comm.Event) []string {
	head := fmt.Sprintf("? may %s run?", e.Tool)
	if e.Text != "" {
		head += fmt.Sprintf(" (%s)", e.Text)
	}
	parts := []string{head}
	if args := Arguments(e.Args); len(args) > 0 {
		parts = append(parts, "    "+strings.Join(args, "\n    "))
	}
	if e.Preview != "" {
		effect := "  it would do this:"
		for line := range strings.Lines(e.Preview) {
			effect += "\n    " + strings.TrimRight(line, "\n")
		}
		parts = append(parts, effect)
	}
	return append(parts, "  session and always: "+coveredBy(e.Subject))
}

// coveredBy describes what a grant for a call would cover (APR-13).
func coveredBy(subject []string) string {
	if len(subject) == 0 {
		return "the same call, with the same arguments"
	}
	return "calls with the same " + strings.Join(subject, ", ")
}

// argumentBytesMax is how many bytes of an argument are shown (APR-25).
const argumentBytesMax = 2000

// Arguments returns the arguments of a call, one on each line, in their order.
func Arguments(args string) []string {
	d := json.NewDecoder(strings.NewReader(args))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return []string{indented(wording.Part(args, argumentBytesMax))}
	}
	var lines []string
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return []string{indented(wording.Part(args, argumentBytesMax))}
		}
		text := string(value)
		var s string
		if value[0] == '"' && json.Unmarshal(value, &s) == nil { // null can be read as a text, too
			text = s
		}
		lines = append(lines, indented(fmt.Sprintf("%v: %s", name, wording.Part(text, argumentBytesMax))))
	}
	return lines
}

// indented makes the lines of an argument, or of its name, look like nothing else in a question.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n      ") }
