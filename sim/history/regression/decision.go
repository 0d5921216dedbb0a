package regression

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/reading"
)

// Verdict is what an answer comes to.
type Verdict string

// The verdicts.
const (
	VerdictNeed   Verdict = "need"   // it needs to know something, and memory is asked
	VerdictCalls  Verdict = "calls"  // tools are to run
	VerdictText   Verdict = "text"   // it is the answer
	VerdictEmpty  Verdict = "empty"  // there is nothing to use in it, and the model is asked again
	VerdictCut    Verdict = "cut"    // it has met its limit of tokens
	VerdictFailed Verdict = "failed" // there was no answer
)

// Call is a call that an answer asks for.
type Call struct {
	Name string `json:"name"`
	Args string `json:"args"` // canonical JSON, or as it was where it is none
}

// Decision is what an answer decides (CLI-24).
type Decision struct {
	Verdict Verdict        `json:"verdict"`
	Calls   []Call         `json:"calls,omitempty"` // in order
	Text    string         `json:"text,omitempty"`  // the answer, or the need; of a failure the reason
	Class   fsm.BrainClass `json:"class,omitempty"` // of a failure
}

// Read returns what an answer to the question decides, by the machine's own reading
// of calls, calls written as text and needs.
func (q Question) Read(in fsm.BrainAnswered) Decision {
	read := reading.Understand(q.config, q.Ask.Tools, q.Ask.Conversation, in, 1)
	calls, text := read.Calls, strings.TrimSpace(reading.NeedText(q.config, read.Text, q.Cognition))
	need, marked := fsm.Need(text)
	switch {
	case in.Stop == fsm.StopMaxTokens:
		return Decision{Verdict: VerdictCut, Text: text}
	case len(calls) > 0:
		d := Decision{Verdict: VerdictCalls, Text: text}
		for _, c := range calls {
			d.Calls = append(d.Calls, Call{Name: c.Name, Args: Canonical(c.Args)})
		}
		return d
	case text == "", read.Unrunnable:
		return Decision{Verdict: VerdictEmpty, Text: text}
	case marked && q.Cognition:
		return Decision{Verdict: VerdictNeed, Text: need}
	default:
		return Decision{Verdict: VerdictText, Text: text}
	}
}

// Failure is the decision of a model that gave no answer.
func Failure(class fsm.BrainClass, reason string) Decision {
	return Decision{Verdict: VerdictFailed, Class: class, Text: reason}
}

// String tells a decision in one line.
func (d Decision) String() string {
	text := strings.Join(strings.Fields(d.Text), " ")
	switch d.Verdict {
	case VerdictCalls:
		names := make([]string, len(d.Calls))
		for i, c := range d.Calls {
			names[i] = c.Name + " " + c.Args
		}
		return "calls " + strings.Join(names, ", ")
	case VerdictFailed:
		return "failed: " + string(d.Class)
	case VerdictEmpty:
		return "empty"
	default:
		return string(d.Verdict) + ": " + text
	}
}

// tools returns the names of the calls in order; where there are none, the verdict
// in brackets stands for them.
func (d Decision) tools() string {
	if len(d.Calls) == 0 {
		return "(" + string(d.Verdict) + ")"
	}
	names := make([]string, len(d.Calls))
	for i, c := range d.Calls {
		names[i] = c.Name
	}
	return strings.Join(names, " ")
}
