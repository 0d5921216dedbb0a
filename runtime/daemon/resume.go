package daemon

import (
	"context"
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// step sends the watchers the events of a durable step, which can be repeated from the journal's
// record at any time (COM-90).
func (h *hub) step(s engine.Step, view *state.Snapshot) {
	c := &view.Config
	if _, boots := s.Input.Fact.(fsm.Boot); boots {
		h.forgets()
	}
	ends.Do(h, s.Input.Fact)
	for i, m := range s.Moves {
		if m.Table != state.Lifecycle.Name && !m.Stays() {
			if leave(s.Moves[i:i+1], m.Handle) && !leave(s.Moves[:i], m.Handle) {
				h.builtins(s.Effects, m.Handle, c)
			}
			h.moved(m, c, s.Input.Fact)
		}
	}
	for _, e := range s.Effects {
		switch e := e.(type) {
		case fsm.AskBrain:
			if began(s.Moves, e) {
				h.moved(state.Move{Table: state.InferenceTable.Name, Handle: e.Handle, To: state.Thinking}, c, s.Input.Fact)
			}
		case fsm.RunTool:
			h.toolStarted(e)
		case fsm.Audit:
			if !leave(s.Moves, e.Handle) {
				h.builtin(e, c)
			}
			if _, stopped := s.Input.Fact.(fsm.ToolStopped); (e.Unknown || e.Probe != "") && !stopped {
				h.tells(e)
			}
		}
	}
	for _, m := range s.Moves { // last, so that the other events keep the places of older builds
		h.subagent(m, view)
	}
}

// leave reports whether a handle stops running calls with one of the transitions: builtin ones of the
// same step, which the machine has answered within it, are told before that.
func leave(moves []state.Move, handle fsm.HandleID) bool {
	return slices.ContainsFunc(moves, func(m state.Move) bool {
		return m.Handle == handle && !m.Stays() && (m.Table == state.InferenceTable.Name && m.From == state.Acting || m.To == state.Approving)
	})
}

// builtins sends the calls of builtin tools of a step and a handle.
func (h *hub) builtins(effects []fsm.Effect, handle fsm.HandleID, c *fsm.Config) {
	for _, e := range effects {
		if e, is := e.(fsm.Audit); is && e.Handle == handle {
			h.builtin(e, c)
		}
	}
}

// builtin sends a call if it is one of a builtin tool that ran.
func (h *hub) builtin(e fsm.Audit, c *fsm.Config) {
	if decl, ok := c.Tool(e.Tool); ok && decl.Builtin && e.Ran() {
		h.answered(e)
	}
}

// ends says what an answer ends among the things that watchers see.
var ends = fsm.NewAnswerTable(
	ending(func(h *hub, in fsm.BrainAnswered) { h.answers(in.Call) }),
	ending(func(h *hub, in fsm.ToolAnswered) { h.toolEnded(in.Call, in.Text, in.Failed) }),
	ending(func(h *hub, in fsm.ToolStopped) { h.toolEnded(in.Call, "stopped", true) }),
	fsm.OnAnswers(func(*hub, fsm.Answer) struct{} { return struct{}{} }), // the others belong to calls that watchers do not see
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
	if e.Purpose == fsm.PurposeSummary || e.Purpose == fsm.PurposeCompact || e.Purpose == fsm.PurposePrefill {
		return false
	}
	return !slices.ContainsFunc(moves, func(m state.Move) bool {
		return m.Handle == e.Handle && m.Table == state.InferenceTable.Name && m.To == state.Thinking && !m.Stays()
	})
}

// resumed sends a watcher the request's events in the journal after a position and up to the
// last record, and then those that come. If the journal does not go back far enough, it sends
// only those that come.
func (d *Daemon) resumed(ctx context.Context, key fsm.RequestKey, after position.Position, last uint64, comes <-chan comm.Event) <-chan comm.Event {
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
		told, err := d.retold.ask(ctx, d.o.Journal, &retelling{ctx: ctx, key: key, after: after, last: last, epoch: d.hub.era()})
		if errors.Is(err, engine.ErrStopping) || ctx.Err() != nil { // sending what comes now would leave a gap
			return
		}
		if err != nil {
			d.o.Log.Info("cannot send a client the events that it has missed", "request", key.ID, "error", err)
		}
		for _, e := range told.events {
			if !give(e) {
				return
			}
		}
		for e := range comes {
			if e.Type == comm.EventChunk && told.settled { // the text before it stays
				e.Whole, told.settled = false, false
			}
			if !give(e) {
				return
			}
		}
	}()
	return out
}
