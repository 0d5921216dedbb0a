package comm

import (
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// The states of a [Record].
const (
	RecordAccepted = "accepted" // durable, and not done
	RecordDone     = "done"
	RecordFailed   = "failed" // done; the reply says why there is no answer
)

// Record is what a client sees of a request.
type Record struct {
	ID        string       `json:"id"`
	Channel   string       `json:"channel"`
	Client    string       `json:"client,omitempty"`     // whose request it is; absent: the holder's of the daemon's own token
	Kind      fsm.Kind     `json:"kind,omitempty"`       // of what is not a request, such as a schedule's run; its id is its handle's
	Session   string       `json:"session,omitempty"`    // as the request names it
	InSession string       `json:"in_session,omitempty"` // the session it belongs to: the named one, or its chat's
	Chat      string       `json:"chat,omitempty"`
	Index     uint64       `json:"index,omitempty"`  // of the journal's record that accepted it
	Handle    fsm.HandleID `json:"handle,omitempty"` // 0: it was answered without one
	State     string       `json:"state"`
	Text      string       `json:"text"`
	Accepted  fsm.Millis   `json:"accepted"`
	Done      bool         `json:"done"` // Reply is final
	Replied   fsm.Millis   `json:"replied,omitempty"`
	Reply     string       `json:"reply,omitempty"`
	IsError   bool         `json:"is_error,omitempty"`
	Outcome   fsm.Outcome  `json:"outcome,omitempty"`
	Forgotten bool         `json:"forgotten,omitempty"` // its session was forgotten, and with it Text and Reply

	// The standing of its handle, while that is unfinished.
	Phase     fsm.State `json:"phase,omitempty"`     // queued, cognition, …
	Inference fsm.State `json:"inference,omitempty"` // of its inference: thinking, acting, …
	Label     fsm.State `json:"label,omitempty"`     // the profile's name of the inference's state, where it has one
	Asks      *Ask      `json:"asks,omitempty"`      // what a person is asked about it

	Subagents []Subagent `json:"subagents,omitempty"` // its unfinished subagents, also after its reply
}

func newRecord(r engine.Request) Record {
	session, _ := fsm.Belongs(r.Session, r.Origin)
	client := r.Key.Principal
	if client == Principal {
		client = ""
	}
	return Record{
		Client: client,
		ID:     r.Key.ID, Channel: r.Key.Channel, Session: r.Session, InSession: session, Chat: r.Origin.Chat, Index: r.Index, Handle: r.Handle, State: stateOf(r), Text: r.Text,
		Accepted: r.Accepted, Done: r.Done, Replied: r.Replied, Reply: r.Reply, IsError: r.IsError, Outcome: r.Outcome, Forgotten: r.Forgotten,
	}
}

func stateOf(r engine.Request) string {
	switch {
	case !r.Done:
		return RecordAccepted
	case r.IsError:
		return RecordFailed
	default:
		return RecordDone
	}
}

// OutcomeOf returns how work without a reply has ended, by its handle's final state; empty: it has not.
func OutcomeOf(s fsm.State) fsm.Outcome {
	switch s {
	case state.Done:
		return fsm.OutcomeAnswered
	case state.Failed:
		return fsm.OutcomeFailed
	case state.Cancelled:
		return fsm.OutcomeCancelled
	default:
		return ""
	}
}

func replyOf(r engine.Request) Event {
	return Event{Type: EventReply, ID: r.Key.ID, Text: r.Reply, IsError: r.IsError, Outcome: r.Outcome}
}

// Receipt is the answer to an accepted request whose client does not wait.
type Receipt struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

// Standing is how far an unfinished handle is.
type Standing struct {
	Handle    fsm.HandleID
	Request   fsm.RequestKey // of a user's request; zero: it is not one
	Phase     fsm.State      // queued, cognition, …
	Inference fsm.State      // of its inference: thinking, acting, …
	Label     fsm.State      // the profile's name of the inference's state, where it has one
	Asks      *Ask           // what a person is asked about it; nil: nothing
	Parent    fsm.HandleID   // of a subagent: the handle that started it
	Subagent  *Subagent      // as its request's client sees it; nil: it is not one
}

// Standings returns the standings of a state's unfinished handles, in the order of admission.
func Standings(s *state.Snapshot) []Standing {
	all := make([]Standing, 0, len(s.Handles))
	for i := range s.Handles {
		h := &s.Handles[i]
		one := Standing{
			Handle: h.ID, Request: h.Request, Phase: h.State, Inference: h.Inf.State, Label: s.Config.Label(h.Inf.State), Asks: AskOf(&s.Config, h),
		}
		if h.Kind == fsm.KindSubagent {
			one.Parent, one.Subagent = h.Parent, subagentOf(h)
		}
		all = append(all, one)
	}
	return all
}

// AskOf returns what a person is asked about a handle, or nil.
func AskOf(c *fsm.Config, h *state.Handle) *Ask {
	q, asks := h.Asks()
	if !asks {
		return nil
	}
	a := &Ask{Question: q.Question, Handle: h.ID, Key: q.Key, Tool: q.Tool, Args: q.Args, Text: q.Text}
	if decl, ok := c.Declared(h.Inf.Tools, q.Tool); ok && q.Question == fsm.QuestionApprove {
		a.Subject = decl.Subject
	}
	return a
}

// stand adds its handle's standing to a record.
func (r *Record) stand(all []Standing) {
	for _, s := range all {
		if s.Handle == r.Handle && r.Handle != 0 {
			r.Phase, r.Inference, r.Label, r.Asks = s.Phase, s.Inference, s.Label, s.Asks
		}
	}
	r.Subagents = subagentsOf(r.Handle, all)
}

// taskBytes is the most bytes of a subagent's task that are shown.
const taskBytes = 500

// Subagent is an unfinished subagent of a request (COM-96).
type Subagent struct {
	Handle    fsm.HandleID `json:"handle"`
	Called    string       `json:"called,omitempty"` // by the model that started it
	Task      string       `json:"task"`             // the beginning of it
	State     fsm.State    `json:"state"`            // queued, execution, …
	Inference fsm.State    `json:"inference,omitempty"`
	Rounds    int          `json:"rounds"`          // rounds that ran tools
	Since     fsm.Millis   `json:"since,omitempty"` // when this process started or resumed it; absent: not yet
}

// SubagentsBody is the answer to GET /v1/requests/{id}/subagents.
type SubagentsBody struct {
	Subagents []Subagent `json:"subagents"`
}

func subagentOf(h *state.Handle) *Subagent {
	return &Subagent{Handle: h.ID, Called: h.Label, Task: wording.Clip(h.Input, taskBytes), State: h.State, Inference: h.Inf.State, Rounds: h.Inf.Rounds}
}

// subagentsOf returns the subagents of a handle, in the order of their start.
func subagentsOf(parent fsm.HandleID, all []Standing) (list []Subagent) {
	for _, s := range all {
		if s.Subagent != nil && parent != 0 && s.Parent == parent {
			list = append(list, *s.Subagent)
		}
	}
	return list
}

// The words for ?state=, besides RecordDone and RecordFailed.
const (
	StandsWaiting = "waiting" // for its turn, or for the model
	StandsActive  = "active"
	StandsParked  = "parked" // kept for the next start
	StandsHeld    = "held"   // for a person's word
)

// States are the words for ?state=.
var States = []string{StandsWaiting, StandsActive, StandsParked, StandsHeld, RecordDone, RecordFailed}

// Stands returns which of [States] the request is in. A request whose reply is final is done
// or failed, whatever its handle still has to do.
func (r Record) Stands() string {
	switch {
	case r.Done:
		return r.State
	case r.Asks != nil:
		return StandsHeld
	case r.Phase == state.Parked:
		return StandsParked
	case r.Phase == state.Queued || r.Phase == state.Postponed || r.Phase == "":
		return StandsWaiting
	default:
		return StandsActive
	}
}
