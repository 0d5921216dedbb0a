package comm

import "shelly/fsm"

// Decision is how a question whether a call may run has ended (APR-24).
type Decision struct {
	Verdict Verdict        `json:"verdict"`          // approved, refused, timed_out
	By      string         `json:"by,omitempty"`     // who has decided
	Grant   fsm.GrantScope `json:"grant,omitempty"`  // of an approval, which later calls it covers: session, always; absent: none
	Reason  string         `json:"reason,omitempty"` // of a refusal
}

// Verdict is what was decided about a call.
type Verdict string

// The verdicts. A call whose question has timed out does not run (APR-2).
const (
	Approved Verdict = "approved"
	Refused  Verdict = "refused"
	TimedOut Verdict = "timed_out"
)

// DecisionOf returns what a person has decided.
func DecisionOf(d fsm.Decided) *Decision {
	if d.Approve {
		return &Decision{Verdict: Approved, By: d.By, Grant: d.Grant}
	}
	return &Decision{Verdict: Refused, By: d.By, Reason: d.Reason}
}

// Words describes a decision for a person, such as "refused by ann: not on a Friday".
func (d *Decision) Words() string {
	if d.Verdict == TimedOut {
		return "not answered in time, so it does not run"
	}
	text := string(d.Verdict)
	switch d.Grant {
	case fsm.GrantSession:
		text += " for this session"
	case fsm.GrantAlways:
		text += " from now on"
	}
	if d.By != "" {
		text += " by " + d.By
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text
}
