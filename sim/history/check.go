package history

import (
	"cmp"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Checked is how today's code decides over what requests went through.
type Checked struct {
	Requests []CheckedRequest // in the order of their acceptance
	Gone     int              // requests whose record is no longer kept
	Records  int              // records that were stepped, those about something else among them
	Others   []uint64         // records about something else where today's code decides differently
}

// CheckedRequest is one request, decided again.
type CheckedRequest struct {
	Request engine.Request
	Steps   int      // that are about it or a subagent of it
	Differs []uint64 // the records of those where today's code decides differently
}

// Check decides the recorded steps of requests again, all in one fold (JRN-27, JRN-6).
func Check(j engine.Reader, requests []engine.Request) (Checked, error) {
	kept, err := j.Kept()
	if err != nil {
		return Checked{}, err
	}
	c := checking{owner: map[fsm.HandleID]int{}, accepted: map[uint64]int{}}
	for _, r := range requests {
		if r.Index < kept.First {
			c.out.Gone++
			continue
		}
		c.out.Requests = append(c.out.Requests, CheckedRequest{Request: r})
	}
	list := c.out.Requests
	if len(list) == 0 {
		return c.out, nil
	}
	slices.SortFunc(list, func(a, b CheckedRequest) int { return cmp.Compare(a.Request.Index, b.Request.Index) })
	for i, r := range list {
		c.accepted[r.Request.Index] = i
		if r.Request.Handle != 0 {
			c.owner[r.Request.Handle] = i
		}
	}
	for f, err := range engine.Fold(j, list[0].Request.Index-1) {
		if err != nil {
			return c.out, err
		}
		c.step(f)
		if f.Index >= list[len(list)-1].Request.Index && c.ended(f.Machine) {
			break
		}
	}
	return c.out, nil
}

// checking is a check under way. Owner has the request of each handle, accepted that
// of each record that accepted one, as indexes of out.Requests.
type checking struct {
	out      Checked
	owner    map[fsm.HandleID]int
	accepted map[uint64]int
}

func (c *checking) step(f engine.Folded) {
	for _, h := range f.Machine.View().Handles {
		if i, ok := c.owner[h.Parent]; ok && h.Parent != 0 {
			c.owner[h.ID] = i
		}
	}
	c.out.Records++
	i, ours := c.accepted[f.Index]
	if !ours && f.Concerns != 0 {
		i, ours = c.owner[f.Concerns]
	}
	switch {
	case ours:
		r := &c.out.Requests[i]
		r.Steps++
		if f.Differs() {
			r.Differs = append(r.Differs, f.Index)
		}
	case f.Differs():
		c.out.Others = append(c.out.Others, f.Index)
	}
}

// ended reports whether nothing of the requests is unfinished.
func (c *checking) ended(m *machine.Machine) bool {
	return !slices.ContainsFunc(m.View().Handles, func(h state.Handle) bool {
		_, ours := c.owner[h.ID]
		return ours
	})
}
