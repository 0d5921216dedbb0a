package daemon

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
)

type startedTool struct {
	handle fsm.HandleID
	name   string
	args   string
	beside bool // others of the same handle run at the same time
}

// subagent is a subagent as its parent's watchers see it.
type subagent struct {
	parent fsm.HandleID
	comm.Event
}

// moved passes on a transition of an input's step, with the profile's name for the new state (INF-28).
func (h *hub) moved(m state.Move, c *fsm.Config, in fsm.Fact) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := comm.Event{Type: comm.EventState, State: m.To, Decision: decided(m, in)}
	if m.Table == state.InferenceTable.Name {
		e.State, e.Inference, e.Label = "", m.To, c.Label(m.To)
	}
	if m.Table != state.InferenceTable.Name && m.To != state.Approving {
		delete(h.previews, m.Handle)
	}
	if m.Table != state.InferenceTable.Name || m.To != state.Thinking { // the call is answered
		h.ends(m.Handle)
	}
	h.concludes(m.Handle, in, e.Decision)
	h.tell(m.Handle, e)
}

// concludes keeps how a question has ended for those who look at the status (APR-24). The caller holds mu.
func (h *hub) concludes(id fsm.HandleID, in fsm.Fact, d *comm.Decision) {
	if d == nil {
		return
	}
	ended := comm.Decided{Handle: id, Record: h.record, Decision: *d}
	ended.Decision.Reason = wording.Clip(d.Reason, comm.DecidedReasonBytes)
	if said, ok := in.(fsm.Decided); ok {
		ended.Key = said.Key
	}
	h.decided = append(h.decided, ended)
	if over := len(h.decided) - comm.DecidedMax; over > 0 {
		h.decided = slices.Delete(h.decided, 0, over)
	}
}

// concluded returns how the latest questions to a person have ended, oldest first.
func (h *hub) concluded() []comm.Decided {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.decided)
}

// decided returns how a transition of the step of an input has ended a question to a person; nil: it
// has not (APR-24).
func decided(m state.Move, in fsm.Fact) *comm.Decision {
	_, late := in.(fsm.TimerFired)
	said, decides := in.(fsm.Decided)
	word, resolves := in.(fsm.Resolved)
	switch {
	case m.On == state.OnDecided && decides:
		return comm.DecisionOf(said)
	case m.On == state.OnDecided && late:
		return &comm.Decision{Verdict: comm.TimedOut}
	case m.On == state.OnResolved && late:
		return &comm.Decision{Verdict: comm.Unresolved}
	case resolves && (m.On == state.OnResolved || m.On == state.OnResume):
		return &comm.Decision{Verdict: comm.Resolved, Reason: word.Text}
	}
	return nil // it was cancelled, or there was none
}

func (h *hub) toolStarted(e fsm.RunTool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	started := startedTool{handle: e.Handle, name: e.Name, args: e.Args}
	for call, other := range h.tools {
		if other.handle == e.Handle { // INF-45
			started.beside, other.beside = true, true
			h.tools[call] = other
		}
	}
	h.tools[e.Call] = started
	h.tell(e.Handle, comm.Event{Type: comm.EventTool, Tool: e.Name, Args: e.Args})
}

// answered passes on a call of a builtin tool, which the machine answers itself: its start and
// its result are one step.
func (h *hub) answered(e fsm.Audit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(e.Handle, comm.Event{Type: comm.EventTool, Tool: e.Tool, Args: e.Args})
	h.tell(e.Handle, comm.Event{Type: comm.EventToolResult, Tool: e.Tool, Text: wording.Clip(e.Result, excerptBytes), Failed: e.Failed})
}

// tells passes on the result of a call that an earlier process started, if no watcher has seen
// its end.
func (h *hub) tells(e fsm.Audit) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(e.Handle, comm.Event{Type: comm.EventToolResult, Tool: e.Tool, Text: wording.Clip(e.Result, excerptBytes), Failed: e.Failed})
}

// output passes on a command's output while it runs (TOL-50).
func (h *hub) output(call fsm.CallID, part string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.tools[call]; ok {
		h.tell(t.handle, comm.Event{Type: comm.EventOutput, Tool: t.name, Text: part})
	}
}

func (h *hub) toolEnded(call fsm.CallID, text string, failed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tools[call]
	if !ok {
		return
	}
	delete(h.tools, call)
	ended := comm.Event{Type: comm.EventToolResult, Tool: t.name, Text: wording.Clip(text, excerptBytes), Failed: failed}
	if t.beside { // INF-45
		ended.Args = t.args
	}
	h.tell(t.handle, ended)
}

func (h *hub) notify(e fsm.Notify) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Notice {
	case fsm.NoticeDeferred:
		h.tell(e.Handle, comm.Event{Type: comm.EventDeferred})
	case fsm.NoticeQueued:
		h.tell(e.Handle, comm.Event{Type: comm.EventQueued, Ahead: e.Ahead})
	case fsm.NoticeHeld:
		h.tell(e.Handle, comm.Event{Type: comm.EventHeld})
	}
}

// subagent passes on that one of a request's subagents begins or ends (COM-98), until the
// request's reply.
func (h *hub) subagent(m state.Move, view *state.Snapshot) {
	ends := slices.Contains(state.HandleTable.Final, m.To)
	if m.Kind != fsm.KindSubagent || m.Table != state.HandleTable.Name || m.From != state.Queued && !ends {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := view.IndexOf(m.Handle); at >= 0 {
		one := &view.Handles[at]
		h.subagents[m.Handle] = subagent{one.Parent, comm.Event{
			Type: comm.EventSubagent, Handle: m.Handle, Called: wording.Clip(one.Label, labelBytes), Text: wording.Clip(one.Input, excerptBytes),
		}}
	}
	known, is := h.subagents[m.Handle]
	if !is {
		return
	}
	if ends {
		delete(h.subagents, m.Handle)
	}
	known.State, known.Failed = m.To, m.To == state.Failed
	h.tell(known.parent, known.Event)
}

// preview is what the call of an open question would do; empty until that is known.
type preview struct {
	key  string // of the question
	text string
}

// question passes on a question to a person about a request.
func (h *hub) question(e comm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tell(e.Handle, e)
}

// asked passes on that a question was asked; its preview is still to come.
func (h *hub) asked(id fsm.HandleID, key string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.previews[id] = preview{key: key}
}

// previewed passes on a question whose preview has come. If the question has been answered
// meanwhile, nobody is to be asked any more.
func (h *hub) previewed(e comm.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if open, is := h.previews[e.Handle]; is && open.key == e.Key {
		h.previews[e.Handle] = preview{e.Key, e.Preview}
		h.tell(e.Handle, e)
	}
}

// preview adds to a question what the call would do, if the question is still open (APR-21).
func (h *hub) preview(a *comm.Ask) {
	if a != nil && a.Question == fsm.QuestionApprove {
		h.mu.Lock()
		defer h.mu.Unlock()
		a.Preview = h.previews[a.Handle].text
	}
}
