package acp

import (
	"cmp"
	"encoding/json"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

// Permission is a question to an editor about a call (FRT-53).
type Permission struct {
	Key    string       // of the call, as decisions name it
	Handle fsm.HandleID // that is waiting
	Call   Update       // the call
	About  []string     // the arguments that a grant for later calls would fix; none: all
}

// Option is an answer that a person has.
type Option struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// The ids of the options.
const (
	optionOnce    = "once"
	optionSession = "session"
	optionAlways  = "always"
	optionReject  = "reject"
)

// Options returns the possible answers, with what the wider ones cover (APR-13).
func (p *Permission) Options() []Option {
	covers := "this very call"
	if len(p.About) > 0 {
		covers = "the same " + strings.Join(p.About, ", ")
	}
	return []Option{
		{optionOnce, "Allow once", "allow_once"},
		{optionSession, "Allow in this session: " + covers, "allow_always"},
		{optionAlways, "Allow always: " + covers, "allow_always"},
		{optionReject, "Reject", "reject_once"},
	}
}

// Decision is a person's choice.
type Decision struct {
	Approve bool
	Grant   fsm.GrantScope
}

// Cancelled reports whether an editor's answer is that its prompt is cancelled, which is all that the
// protocol has it mean.
func Cancelled(answer wire.Value) bool {
	return answer.Member("outcome").Member("outcome").Text == "cancelled"
}

// Chosen reads an editor's answer; ok is false if it is not a choice. Unless the prompt is cancelled, the
// question then stays open for others.
func Chosen(answer wire.Value) (d Decision, ok bool) {
	outcome := answer.Member("outcome")
	if outcome.Member("outcome").Text != "selected" {
		return d, false
	}
	switch outcome.Member("optionId").Text {
	case optionOnce:
		return Decision{Approve: true}, true
	case optionSession:
		return Decision{true, fsm.GrantSession}, true
	case optionAlways:
		return Decision{true, fsm.GrantAlways}, true
	case optionReject:
		return Decision{}, true
	}
	return d, false
}

// permission is the question about a call, with the change that the call would make if shelly
// can tell.
func permission(c *call, e comm.Event, p Place) *Permission {
	about := describe(c.tool, c.args, p.Workspace)
	about.ID, about.Status = c.id, pending
	u := Update{Call: &about}
	var held Earlier
	if c.tool == "write_file" && p.Held != nil { // it waits, so this is what it would write over
		held = p.Held(about.path())
	}
	parts := diffs(c.tool, c.args, p.Workspace, held)
	if parts == nil && e.Preview != "" {
		parts = shown(fenced(wording.Visible(e.Preview)))
	}
	if parts == nil && !told(c.args) {
		parts = shown(fenced(wording.Part(wording.Visible(c.args), callBytesMax)))
	}
	if parts = append(parts, shown(wording.Visible(e.Text))...); len(parts) > 0 {
		u.Content = parts
	}
	return &Permission{Key: e.Key, Handle: e.Handle, Call: u, About: e.Subject}
}

// callBytesMax is the most bytes of a call that a question shows below its title.
const callBytesMax = 64 << 10

// told reports whether the title of a call says all that is in its arguments (APR-25): many editors show
// nothing else when they ask.
func told(args string) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &members) != nil || len(members) != 1 {
		return len(members) == 0 && strings.TrimSpace(args) == "{}"
	}
	a := parse(args)
	about := cmp.Or(a.Command, a.Path, a.URL, a.Query, a.Task, a.Name, a.Pattern)
	return about != "" && a.about() == about && len(wording.Visible(about)) <= titleBytesMax
}
