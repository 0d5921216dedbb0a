package history

import (
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// History is what happened to a request: to its handle and to the subagents that came
// of it (JRN-27).
type History struct {
	Request engine.Request
	Handles []fsm.HandleID // its own, then its subagents; none: it was answered without one
	Ended   bool           // none of the handles is unfinished
	Steps   []Step
}

// Step is one step that had to do with the request.
type Step struct {
	N       int          // from 1
	Index   uint64       // of the record
	Handle  fsm.HandleID // the one of the request's handles that the step is about
	Input   fsm.Input    // what the machine was told
	About   bool         // the input is about Handle; otherwise it is about another handle, or about none
	Effects []fsm.Effect // those for the request's handles
	Moves   []fsm.Move   // those of the request's handles
	Differs bool         // today's code decides otherwise here

	Recorded, Today uint64 // the hashes of all effects: as recorded, and with today's code
}

// ErrNone says that there is no such request.
var ErrNone = errors.New("there is no such request")

var errEnough = errors.New("enough")

// Of returns the history of a request as far as the journal goes. It is ErrNone where
// the request is unknown, and engine.ErrTrimmed where the record that accepted it is
// no longer kept.
func Of(j Reader, key fsm.RequestKey) (History, error) {
	r, ok, err := j.Request(key)
	if err != nil {
		return History{}, err
	}
	if !ok {
		return History{}, fmt.Errorf("%w: %q", ErrNone, key.ID)
	}
	h := History{Request: r}
	if r.Handle != 0 {
		h.Handles = []fsm.HandleID{r.Handle}
	}
	err = Fold(j, r.Index-1, func(f Folded) error {
		h.step(f)
		if h.Ended = h.ended(f.Machine); h.Ended {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return h, err
}

// step adds a record if it has to do with the request.
func (h *History) step(f Folded) {
	for _, c := range f.Machine.View().Handles {
		if h.has(c.Parent) && !h.has(c.ID) {
			h.Handles = append(h.Handles, c.ID)
		}
	}
	s := Step{N: len(h.Steps) + 1, Index: f.Index, Handle: f.Concerns, Input: f.Input, About: h.has(f.Concerns), Differs: f.Differs(), Recorded: f.Effects, Today: fsm.HashEffects(f.Caused)}
	if f.Index == h.Request.Index {
		s.About = true
	}
	for _, m := range f.Moves {
		if h.has(m.Handle) {
			s.Moves = append(s.Moves, m)
			if !s.About {
				s.Handle = m.Handle
			}
		}
	}
	for _, e := range f.Caused {
		to := fsm.HandleOf(e)
		if h.has(to) || to == 0 && s.About {
			s.Effects = append(s.Effects, e)
		}
		if h.has(to) && !s.About && len(s.Moves) == 0 {
			s.Handle = to
		}
	}
	if s.About || len(s.Moves) > 0 || len(s.Effects) > 0 {
		h.Steps = append(h.Steps, s)
	}
}

func (h *History) has(id fsm.HandleID) bool { return id != 0 && slices.Contains(h.Handles, id) }

// ended reports whether nothing of the request is unfinished.
func (h *History) ended(m *fsm.Machine) bool {
	return !slices.ContainsFunc(m.View().Handles, func(c fsm.Handle) bool { return h.has(c.ID) })
}
