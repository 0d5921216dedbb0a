package history

import (
	"cmp"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
)

// Run is a piece of work that is no request: a schedule's slot, a subagent, its report, an event.
type Run struct {
	Handle   fsm.HandleID
	Kind     fsm.Kind
	Session  string
	Home     string     // the session that started it or made its schedule; empty: none did
	Index    uint64     // of the record that admitted it; 0: it was before the first that was read
	Admitted fsm.Millis // 0: it is not known
	Input    string
	Ended    fsm.Millis // 0: it is unfinished
	State    fsm.State  // that it is in, or ended in
	Answer   string     // as it was told to somebody
	IsError  bool
	GaveUp   bool // it ended while the model was asked, and did not wait for the answer (HND-67)

	asked fsm.CallID // of the model, and not answered; 0: none
}

// Runs returns the runs that were unfinished after a record or were admitted later, in the order
// of their admission, as the journal has them.
func Runs(j engine.Reader, after uint64) ([]Run, error) {
	base, err := engine.StateAt(j, after)
	if err != nil {
		return nil, err
	}
	var all []Run
	open := map[fsm.HandleID]int{} // where those are in all that are unfinished
	last := fsm.HandleID(0)
	take := func(s *state.Snapshot, index uint64, at fsm.Millis) {
		for i := range s.Handles {
			if h := &s.Handles[i]; h.ID > last && h.Kind != fsm.KindUser {
				open[h.ID] = len(all)
				all = append(all, Run{Handle: h.ID, Kind: h.Kind, Session: h.Session, Home: h.Home, Index: index, Admitted: at, Input: wording.Subject(h.Input, h.Compacts, h.Ahead), State: h.State})
			}
		}
		last = s.LastHandle
	}
	take(&base, 0, 0)
	for f, err := range engine.Fold(j, after) {
		if err != nil {
			return nil, err
		}
		take(f.Machine.View(), f.Index, f.Input.At)
		for _, id := range touched(f) {
			if i, ok := open[id]; ok {
				if all[i].follow(f); all[i].Ended != 0 {
					delete(open, id)
				}
			}
		}
	}
	return all, nil
}

// touched returns the handles that a step has to do with, each once. A handle ends by a move.
func touched(f engine.Folded) []fsm.HandleID {
	ids := []fsm.HandleID{f.Concerns}
	add := func(id fsm.HandleID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, m := range f.Moves {
		add(m.Handle)
	}
	for _, e := range f.Caused {
		add(fsm.HandleOf(e))
	}
	return ids
}

// follow notes what a step did with the run, which is unfinished.
func (r *Run) follow(f engine.Folded) {
	if a, ok := f.Input.Fact.(fsm.Answer); ok && a.CallOf() == r.asked {
		r.asked = 0
	}
	for _, e := range f.Caused {
		if ask, ok := e.(fsm.AskBrain); ok && ask.Handle == r.Handle {
			r.asked = ask.Call
		}
		if said, ok := e.(fsm.SendMessage); ok && said.Handle == r.Handle && said.Key == r.Handle.Entry() {
			r.Answer, r.IsError = said.Text, said.IsError
		}
		if failed, ok := e.(fsm.Report); ok && failed.Handle == r.Handle {
			r.Answer, r.IsError = cmp.Or(r.Answer, failed.Text), true
		}
	}
	for _, m := range f.Moves {
		if m.Handle == r.Handle && m.Table == state.HandleTable.Name {
			r.State = m.To
		}
	}
	if f.Machine.View().IndexOf(r.Handle) < 0 {
		r.Ended, r.GaveUp = f.Input.At, r.asked != 0
	}
}
