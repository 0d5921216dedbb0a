package history

import (
	"errors"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// History is what happened to a request: to its handle and to the subagents that came
// of it (JRN-27).
type History struct {
	Request engine.Request
	Handles []fsm.HandleID // its own, then its subagents; none: it was answered without one
	Run     bool           // it is a run, and Request says the same of it as of a request
	Ended   bool           // none of the handles is unfinished
	Lost    uint64         // records of its time that are no longer kept, all before the first step
	Steps   []Step
}

// Step is one step that had to do with the request. Its wire form is a JSON object
// of the keys n, index, epoch, handle, about, input, moves, effects, differs, recorded and
// today, with inputs and effects as the journal has them (JRN-15) and hashes of 16
// hexadecimal digits.
type Step struct {
	N       int          // from 1
	Index   uint64       // of the record
	Epoch   int          // boots so far, this one included where the input is one
	Handle  fsm.HandleID // the one of the request's handles that the step is about
	Input   fsm.Input    // what the machine was told
	About   bool         // the input is about Handle; false: it is about another handle, or about none
	Effects []fsm.Effect // those for the request's handles
	Moves   []state.Move // those of the request's handles
	Differs bool         // today's code decides differently here

	Recorded, Today uint64 // the hashes of all effects: as recorded, and with today's code
}

// After is the record after which the state is what the step led to, and whose state.
func (s Step) After() (record uint64, handle fsm.HandleID) { return s.Index, s.Handle }

// Name is what it is called: "request q1", or "run h12".
func (h *History) Name() string {
	if h.Run {
		return "run " + h.Request.Key.ID
	}
	return "request " + h.Request.Key.ID
}

// ErrNone says that there is no such request.
var ErrNone = errors.New("there is no such request")

// Of returns the history of a request as far as the journal goes. It is ErrNone where
// the request is unknown, and engine.ErrTrimmed where the record that accepted it is
// no longer kept.
func Of(j engine.Reader, key fsm.RequestKey) (History, error) {
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
	return h, h.fold(j, r.Index-1)
}

// Rest is Of where the beginning may be gone: the history continues from the first
// record that is kept, and Lost says how many are missing.
func Rest(j engine.Reader, key fsm.RequestKey) (History, error) {
	h, err := Of(j, key)
	if !errors.Is(err, engine.ErrTrimmed) {
		return h, err
	}
	kept, err := j.Kept()
	if err != nil {
		return h, err
	}
	h.Lost = kept.First - h.Request.Index
	if kept.First > kept.Last { // nothing is left but the state
		snapshot, err := engine.StateAt(j, kept.Last)
		h.Ended = !slices.ContainsFunc(snapshot.Handles, func(c state.Handle) bool { return h.has(c.ID) })
		return h, err
	}
	return h, h.fold(j, kept.First-1)
}

// OfRun is Of for a run whose admission the journal has.
func OfRun(j engine.Reader, r Run) (History, error) {
	h := History{Run: true, Handles: []fsm.HandleID{r.Handle}, Request: engine.Request{
		Key: fsm.RequestKey{Channel: string(r.Kind), ID: r.Handle.Entry()}, Index: r.Index, Handle: r.Handle, Session: r.Session, Text: r.Input,
		Accepted: r.Admitted, Done: r.Ended != 0, Replied: r.Ended, Reply: r.Answer, IsError: r.IsError || r.Ended != 0 && r.State != state.Done,
	}}
	if r.Index == 0 {
		return h, fmt.Errorf("%w: the record that admitted %s", engine.ErrTrimmed, r.Handle.Entry())
	}
	return h, h.fold(j, r.Index-1)
}

// fold gathers the steps after a record.
func (h *History) fold(j engine.Reader, after uint64) error {
	for f, err := range engine.Fold(j, after) {
		if err != nil {
			return err
		}
		h.step(f)
		if h.Ended = h.ended(f.Machine); h.Ended {
			break
		}
	}
	return nil
}

// step adds a record if it has to do with the request.
func (h *History) step(f engine.Folded) {
	for _, c := range f.Machine.View().Handles {
		if h.has(c.Parent) && !h.has(c.ID) {
			h.Handles = append(h.Handles, c.ID)
		}
	}
	s := Step{
		N: len(h.Steps) + 1, Index: f.Index, Epoch: f.Machine.View().Epoch, Handle: f.Concerns, Input: f.Input,
		About: h.has(f.Concerns), Differs: f.Differs(), Recorded: f.Effects, Today: fsm.HashEffects(f.Caused),
	}
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
func (h *History) ended(m *machine.Machine) bool {
	return !slices.ContainsFunc(m.View().Handles, func(c state.Handle) bool { return h.has(c.ID) })
}
