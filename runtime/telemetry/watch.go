package telemetry

import (
	"cmp"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// Teller is called when something begins or ends. It must not keep its arguments.
type Teller interface {
	Accepted(w *Work)
	Held(w *Work, e fsm.AskPerson, at fsm.Millis)
	Began(c *Call)
	Ended(c *Call)
	// Replied means that the requester has the reply; only upkeep is left.
	Replied(w *Work, at fsm.Millis)
	Finished(w *Work, at fsm.Millis)
	// Stepped is called after everything else about a step.
	Stepped(s *engine.Step)
}

// Silent is a [Teller] that does nothing, to be embedded by tellers that need only some methods.
type Silent struct{}

// The methods of a [Teller].
func (Silent) Accepted(*Work)                        {}
func (Silent) Held(*Work, fsm.AskPerson, fsm.Millis) {}
func (Silent) Began(*Call)                           {}
func (Silent) Ended(*Call)                           {}
func (Silent) Replied(*Work, fsm.Millis)             {}
func (Silent) Finished(*Work, fsm.Millis)            {}
func (Silent) Stepped(*engine.Step)                  {}

// Watch follows the steps of a machine. It must be called from one goroutine at a time.
type Watch struct {
	tellers []Teller
	works   map[fsm.HandleID]*Work
	calls   map[fsm.CallID]*Call
	last    fsm.HandleID // the last handle that was admitted at the last step
	earlier fsm.HandleID // the last handle that an earlier process admitted
}

// New returns a watch that calls tellers in their order.
func New(tellers ...Teller) *Watch {
	return &Watch{tellers: tellers, works: map[fsm.HandleID]*Work{}, calls: map[fsm.CallID]*Call{}}
}

// Resume says which handle was the last that an earlier process admitted. It is called before
// the first step.
func (w *Watch) Resume(last fsm.HandleID) { w.earlier = last }

// Step takes a durable step, with the machine's present state: the one after this step or a
// later one.
func (w *Watch) Step(s engine.Step, v *state.Snapshot) {
	at := s.Input.At
	w.admitted(&s, v)
	if a, ok := s.Input.Fact.(fsm.Answer); ok {
		w.ended(a.CallOf(), a, at)
	}
	for _, e := range s.Effects {
		w.effect(e, at)
	}
	for _, m := range s.Moves {
		outcome := comm.OutcomeOf(m.To)
		if work := w.works[m.Handle]; outcome != "" && m.Table == state.HandleTable.Name && work != nil {
			w.finished(work, outcome, at)
		}
	}
	for _, t := range w.tellers {
		t.Stepped(&s)
	}
}

// admitted adds the handles that a step has admitted. After a boot those of the previous process
// are resumed; their calls are begun again by this process, or never. The boot may admit one of its own.
func (w *Watch) admitted(s *engine.Step, v *state.Snapshot) {
	_, boot := s.Input.Fact.(fsm.Boot)
	first := len(v.Handles)
	for first > 0 && (boot || v.Handles[first-1].ID > w.last) { // they are in the order of their admission
		first--
	}
	for i := range v.Handles[first:] {
		if h := &v.Handles[first+i]; w.works[h.ID] == nil {
			w.accept(workOf(h, s.Input.At))
		}
	}
	w.last = v.LastHandle
	for _, m := range s.Moves { // a handle that has ended by now is not in the view
		if m.Table == state.HandleTable.Name && w.works[m.Handle] == nil {
			w.accept(endedWork(m, s.Input))
		}
	}
}

func (w *Watch) accept(work *Work) {
	work.Resumed = work.ID <= w.earlier
	w.works[work.ID] = work
	for _, t := range w.tellers {
		t.Accepted(work)
	}
}

// effect takes an effect that begins or ends something.
func (w *Watch) effect(e fsm.Effect, at fsm.Millis) {
	if call, ok := e.(fsm.Call); ok {
		w.began(call, at)
	}
	if abort, ok := e.(fsm.AbortCall); ok {
		if c := w.calls[abort.Call]; c != nil && c.Kind != fsm.CallTool { // a tool reports when it has stopped
			w.ended(abort.Call, nil, at)
		}
	}
	if asked, ok := e.(fsm.AskPerson); ok {
		if work := w.works[asked.Handle]; work != nil {
			for _, t := range w.tellers {
				t.Held(work, asked, at)
			}
		}
	}
	if reply, ok := e.(fsm.Reply); ok {
		w.replied(reply, at)
	}
}

func (w *Watch) replied(e fsm.Reply, at fsm.Millis) {
	work := w.works[e.Handle]
	if work == nil {
		return
	}
	work.Outcome, work.Replied = e.Outcome, true
	for _, t := range w.tellers {
		t.Replied(work, at)
	}
}

func (w *Watch) began(e fsm.Call, at fsm.Millis) {
	id := e.Identity()
	work := w.works[id.Handle]
	if work == nil {
		return
	}
	c := &Call{Call: e, Kind: fsm.CallKindOf(e), Since: at, Work: work}
	w.calls[id.Call] = c
	work.calls = append(work.calls, c)
	for _, t := range w.tellers {
		t.Began(c)
	}
}

// ended ends a call; a nil answer means that it was given up.
func (w *Watch) ended(id fsm.CallID, a fsm.Answer, at fsm.Millis) {
	c := w.calls[id]
	if c == nil {
		return
	}
	delete(w.calls, id)
	work := c.Work
	work.calls = slices.DeleteFunc(work.calls, func(o *Call) bool { return o == c })
	c.Until, c.Answer = at, a
	work.gaveUp = c.Kind == fsm.CallBrain && a == nil
	if c.Kind == fsm.CallBrain {
		work.Calls++
	}
	work.Tokens.Add(c.tokens())
	for _, t := range w.tellers {
		t.Ended(c)
	}
}

func (w *Watch) finished(work *Work, outcome fsm.Outcome, at fsm.Millis) {
	for len(work.calls) > 0 {
		w.ended(work.calls[0].Identity().Call, nil, at)
	}
	if outcome == fsm.OutcomeAnswered && work.gaveUp {
		outcome = fsm.OutcomeCancelled
	}
	work.Outcome = cmp.Or(work.Outcome, outcome)
	delete(w.works, work.ID)
	for _, t := range w.tellers {
		t.Finished(work, at)
	}
}
