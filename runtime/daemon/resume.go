package daemon

import (
	"context"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/reading"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// step tells the watchers what a durable step says of their requests: what a record of the
// journal tells again, whenever it is asked (COM-90).
func (h *hub) step(s engine.Step, c *fsm.Config) {
	if _, boots := s.Input.Fact.(fsm.Boot); boots {
		h.forgets()
	}
	ends.Do(h, s.Input.Fact)
	for _, m := range s.Moves {
		if m.Table != state.Lifecycle.Name && !m.Stays() {
			h.moved(m, c)
		}
	}
	for _, e := range s.Effects {
		switch e := e.(type) {
		case fsm.AskBrain:
			if began(s.Moves, e) {
				h.moved(state.Move{Table: state.InferenceTable.Name, Handle: e.Handle, To: state.Thinking}, c)
			}
		case fsm.RunTool:
			h.toolStarted(e)
		case fsm.Audit:
			if decl, ok := c.Tool(e.Tool); ok && decl.Builtin && e.Ran() {
				h.answered(e)
			}
			if _, stopped := s.Input.Fact.(fsm.ToolStopped); (e.Unknown || e.Probe != "") && !stopped {
				h.tells(e)
			}
		}
	}
}

// ends is what an answer ends of what watchers see.
var ends = fsm.NewAnswerTable(
	ending(func(h *hub, in fsm.BrainAnswered) { h.answers(in.Call) }),
	ending(func(h *hub, in fsm.ToolAnswered) { h.toolEnded(in.Call, in.Text, in.Failed) }),
	ending(func(h *hub, in fsm.ToolStopped) { h.toolEnded(in.Call, "stopped", true) }),
	fsm.OnAnswers(func(*hub, fsm.Answer) struct{} { return struct{}{} }), // the others are of no call that is seen
)

func ending[F fsm.Fact](do func(*hub, F)) fsm.FactRow[*hub, struct{}] {
	return fsm.OnFact(func(h *hub, in F) struct{} {
		do(h, in)
		return struct{}{}
	})
}

// began reports whether a model call is the first of an answering inference, which
// begins thinking without a transition into it.
func began(moves []state.Move, e fsm.AskBrain) bool {
	if e.Purpose == fsm.PurposeSummary || e.Purpose == fsm.PurposeCompact {
		return false
	}
	return !slices.ContainsFunc(moves, func(m state.Move) bool {
		return m.Handle == e.Handle && m.Table == state.InferenceTable.Name && m.To == state.Thinking && !m.Stays()
	})
}

// resumed gives a watcher what the journal tells of a request after a position, and then what
// comes. Where the journal does not go back so far, what comes is all.
func (d *Daemon) resumed(ctx context.Context, j engine.Reader, key fsm.RequestKey, after position.Position, comes <-chan comm.Event) <-chan comm.Event {
	out := make(chan comm.Event)
	give := func(e comm.Event) bool {
		select {
		case out <- e:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(out)
		answered, err := retell(ctx, j, key, after, d.hub.era(), give)
		if err != nil && ctx.Err() == nil {
			d.o.Log.Info("what a client has missed of a request is not told", "request", key.ID, "error", err)
		}
		for e := range comes {
			if e.Type == comm.EventChunk && answered { // what was heard before it stays
				e.Whole, answered = false, false
			}
			if !give(e) {
				return
			}
		}
	}()
	return out
}

// retell gives the events that the records of a journal tell of a request after a position.
// Of a model call that has answered it tells the whole text. Answered says that the call of
// which text was heard last has.
func retell(ctx context.Context, j engine.Reader, key fsm.RequestKey, after position.Position, epoch int, give func(comm.Event) bool) (answered bool, err error) {
	r, ok, err := j.Request(key)
	if err != nil || !ok || r.Handle == 0 {
		return false, err
	}
	t := retelling{hub: newHub(), request: r, after: after, epoch: epoch, asked: map[fsm.CallID]fsm.AskBrain{}, settled: after.Call == 0}
	t.hub.most = int(^uint(0) >> 1)
	t.hub.know(r.Handle, key)
	for f, err := range engine.Fold(j, r.Index-1) { // from the beginning: which tool has ended is known from its start
		if err != nil || ctx.Err() != nil {
			return false, err
		}
		for _, e := range t.step(f) {
			if !give(e) {
				return false, ctx.Err()
			}
		}
		if t.over {
			break
		}
	}
	return t.settled, nil
}

// retelling tells of one request what it was told, by a hub of its own.
type retelling struct {
	hub     *hub
	request engine.Request
	after   position.Position
	epoch   int                         // the present one
	asked   map[fsm.CallID]fsm.AskBrain // calls whose answers are the request's
	settled bool                        // the call of which text was heard last has answered
	over    bool
}

// step returns what a record tells that was not heard.
func (t *retelling) step(f engine.Folded) (events []comm.Event) {
	view := f.Machine.View()
	config := &view.Config
	if _, boots := f.Input.Fact.(fsm.Boot); boots && view.Epoch == t.after.Epoch+1 && t.after.Epoch > 0 {
		t.loses(f.Index)
	}
	if in, is := f.Input.Fact.(fsm.BrainAnswered); is {
		events = t.answer(in, config, f.Index)
	}
	t.hub.telling(f.Index, 0)
	t.hub.step(engine.Step{Index: f.Index, Input: f.Input, Effects: f.Caused, Moves: f.Moves}, config)
	for _, e := range f.Caused {
		if ask, is := e.(fsm.AskBrain); is && ask.Handle == t.request.Handle && ask.Purpose == fsm.PurposeAnswer {
			t.asked[ask.Call] = ask
		}
	}
	t.over = slices.ContainsFunc(f.Caused, func(e fsm.Effect) bool {
		reply, is := e.(fsm.Reply)
		return is && reply.Handle == t.request.Handle
	})
	c := t.hub.course(t.request.Key)
	for _, i := range c.items {
		if i.Type != comm.EventChunk && t.after.Before(i.At.Record, i.At.Nth) {
			i.At.Epoch, i.At.Place, i.At.Call, i.At.Text, i.At.Thinking = t.epoch, 0, t.after.Call, t.after.Text, t.after.Thinking
			events = append(events, i.Event)
		}
	}
	c.items = slices.Delete(c.items, 0, len(c.items))
	return events
}

// loses comes to the boot after the process that has told the position. What it had told of
// records from there on was lost with a kill, happens again, and is told again (COM-94).
func (t *retelling) loses(boot uint64) {
	if t.after.Record < boot {
		return
	}
	t.after.Record, t.after.Nth = boot-1, allOfRecord
	if _, kept := t.asked[t.after.Call]; !kept && t.after.Call != 0 {
		t.after.Call, t.after.Text, t.after.Thinking = lostCall, 0, 0
	}
}

// answer tells the text of a model call, in place of what was heard of the last one, unless
// that has answered.
func (t *retelling) answer(in fsm.BrainAnswered, c *fsm.Config, record uint64) []comm.Event {
	asked, ours := t.asked[in.Call]
	heard := t.after
	switch {
	case !ours && in.Call != heard.Call:
		return nil
	case record < heard.Record || record == heard.Record && heard.Nth > 0:
		t.settled = t.settled || in.Call == heard.Call
		return nil
	}
	replaces := !t.settled
	t.settled = true
	veil := reading.NewVeil(c, asked.Tools)
	text := veil.Put(in.Text) + veil.End()
	if text+in.Thinking == "" || in.Call == heard.Call && heard.Text >= len(text) && heard.Thinking >= len(in.Thinking) {
		return nil
	}
	t.after.Call, t.after.Text, t.after.Thinking = in.Call, len(text), len(in.Thinking)
	at := t.after
	if at.Epoch, at.Place = t.epoch, 0; record > heard.Record {
		at.Record, at.Nth = record, 0
	}
	return []comm.Event{{
		Type: comm.EventChunk, ID: t.request.Key.ID, Purpose: fsm.PurposeAnswer, Call: in.Call, Text: text, Thinking: in.Thinking, Whole: replaces, At: at,
	}}
}
