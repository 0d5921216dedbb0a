package comm

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/grant"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// Approval is a grant as a client sees it: calls that start without asking a person (APR-12).
type Approval struct {
	ID      string            `json:"id"`
	Session string            `json:"session,omitempty"` // whose calls; absent: those of every session
	Tool    string            `json:"tool"`
	Match   map[string]string `json:"match,omitempty"` // patterns for its arguments, by name
	Any     bool              `json:"any,omitempty"`   // whatever the arguments are
	By      string            `json:"by,omitempty"`    // who gave it
	At      fsm.Millis        `json:"at,omitempty"`    // when
}

// ApprovalsBody is the answer to GET /v1/approvals: those of sessions first, the oldest
// first.
type ApprovalsBody struct {
	Approvals []Approval `json:"approvals"`
}

// Approvals returns the grants that are in force in a state.
func Approvals(s *state.Snapshot) []Approval {
	list := []Approval{}
	for _, g := range slices.Concat(s.Grants, s.Config.Grants) {
		a := Approval{ID: grant.ID(&g), Session: g.Session, Tool: g.Tool, Any: g.Any, By: g.By, At: g.At}
		for _, m := range g.Match {
			if a.Match == nil {
				a.Match = map[string]string{}
			}
			a.Match[m.Argument] = m.Like
		}
		if !slices.ContainsFunc(list, func(o Approval) bool { return o.ID == a.ID }) {
			list = append(list, a)
		}
	}
	return list
}

// Approver is a [Front] that knows the grants.
type Approver interface {
	// Approvals returns the grants that are in force.
	Approvals(ctx context.Context) ([]Approval, error)
	// Revoke revokes a grant, and reports whether it was in force (APR-17).
	Revoke(ctx context.Context, r fsm.Revoked) (taken bool, err error)
}

// Decision is how a question to a person has ended (APR-24).
type Decision struct {
	Verdict Verdict        `json:"verdict"`          // approved, refused, timed_out; resolved, unresolved
	By      string         `json:"by,omitempty"`     // who has decided
	Grant   fsm.GrantScope `json:"grant,omitempty"`  // of an approval, which later calls it covers: session, always; absent: none
	Reason  string         `json:"reason,omitempty"` // of a refusal; of what is resolved, what the model is told
}

// The bounds on what a status says of the questions that have ended.
const (
	DecidedMax         = 8
	DecidedReasonBytes = 300
)

// Decided is how a question that was open in an earlier status has ended, since the daemon's start.
type Decided struct {
	Handle   fsm.HandleID `json:"handle"`        // that it was about
	Key      string       `json:"key,omitempty"` // of the call, if a person has decided about one
	Record   uint64       `json:"record"`        // of the journal, with which it ended
	Decision Decision     `json:"decision"`      // its reason may be cut
}

// Verdict is what was decided.
type Verdict string

// The verdicts on whether a call may run, and on a request that was held (APR-6). A call whose question
// has timed out does not run (APR-2).
const (
	Approved   Verdict = "approved"
	Refused    Verdict = "refused"
	TimedOut   Verdict = "timed_out"
	Resolved   Verdict = "resolved"
	Unresolved Verdict = "unresolved" // in time
)

// Held reports whether the decision is about a request that was held, and not about a call.
func (d *Decision) Held() bool { return d.Verdict == Resolved || d.Verdict == Unresolved }

// DecisionOf returns what a person has decided.
func DecisionOf(d fsm.Decided) *Decision {
	if d.Approve {
		return &Decision{Verdict: Approved, By: d.By, Grant: d.Grant}
	}
	return &Decision{Verdict: Refused, By: d.By, Reason: d.Reason}
}

// Words describes a decision for a person, such as "refused by ann: not on a Friday", as text in which
// everything is seen (APR-22).
func (d *Decision) Words() string {
	switch d.Verdict {
	case TimedOut:
		return "not answered in time, so it does not run"
	case Unresolved:
		return "not resolved in time"
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
	return wording.Visible(text)
}
