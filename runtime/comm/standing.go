package comm

import (
	"shelly/fsm"
	"shelly/fsm/state"
)

// Standing is where an unfinished handle stands.
type Standing struct {
	Handle    fsm.HandleID
	Phase     fsm.State // queued, cognition, …
	Inference fsm.State // of its inference: thinking, acting, …
	Label     fsm.State // the profile's name of the inference's state, where it has one
	Asks      *Ask      // what a person is asked about it; nil: nothing
}

// Standings returns the unfinished handles of a state, in the order of their admission.
func Standings(s *state.Snapshot) []Standing {
	all := make([]Standing, 0, len(s.Handles))
	for i := range s.Handles {
		h := &s.Handles[i]
		all = append(all, Standing{
			Handle: h.ID, Phase: h.State, Inference: h.Inf.State, Label: s.Config.Label(h.Inf.State), Asks: AskOf(&s.Config, h),
		})
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

// stand completes a record by where its handle stands.
func (r *Record) stand(all []Standing) {
	for _, s := range all {
		if s.Handle == r.Handle && r.Handle != 0 {
			r.Phase, r.Inference, r.Label, r.Asks = s.Phase, s.Inference, s.Label, s.Asks
		}
	}
}

// The words by which requests are chosen, beside RecordDone and RecordFailed.
const (
	StandsWaiting = "waiting" // for its turn
	StandsActive  = "active"
	StandsParked  = "parked" // kept for the next start
	StandsHeld    = "held"   // for a person's word
)

// States are the words by which requests are chosen.
var States = []string{StandsWaiting, StandsActive, StandsParked, StandsHeld, RecordDone, RecordFailed}

// Stands says in one of [States] how the request is. One whose reply is final is done
// or failed, whatever its handle has left to do.
func (r Record) Stands() string {
	switch {
	case r.Done:
		return r.State
	case r.Asks != nil:
		return StandsHeld
	case r.Phase == state.Parked:
		return StandsParked
	case r.Phase == state.Queued || r.Phase == "":
		return StandsWaiting
	default:
		return StandsActive
	}
}
