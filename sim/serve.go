package sim

import (
	"slices"

	"shelly/fsm"
	"shelly/fsm/described"
	"shelly/sim/script"
	"shelly/sim/server"
)

// The models that the simulated server serves.
const (
	chatModel  = "chat"
	embedModel = "embedding"
)

// serving is a call that the model's server has, or that waits for it (SIM-20).
type serving struct {
	id    uint64 // of the server's call
	call  fsm.CallID
	chat  *chat    // of a model call, or
	fact  fsm.Fact // of an embedding, or of a recall that needs one: its outcome
	takes fsm.Millis
	loads bool // the model was not loaded when it came
}

// chat is a model call and how it is to be answered.
type chat struct {
	ask   fsm.AskBrain
	line  script.Line
	asked int // index into Result.Asked
}

// serves reports whether a line is the server's to answer: what keeps a client from
// it is not.
func (w *world) serves(l script.Line) bool {
	if w.server == nil {
		return false
	}
	switch l.Fails {
	case fsm.BrainUnreachable, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainLoading, fsm.BrainNoTools, fsm.BrainNoChat:
		return false
	}
	return true
}

// chat asks the server, which answers when it has come to it. A client that has no
// first token in its time gives up (BRN-8).
func (w *world) chat(e fsm.AskBrain, line script.Line) error {
	asked := &w.result.Asked[len(w.result.Asked)-1]
	asked.Prompt = w.rendered(&e)
	c := server.Call{Model: chatModel, Prompt: asked.Prompt, Limit: e.Options.MaxTokens}
	if in, ok := line.Said(e).(fsm.BrainAnswered); ok {
		c.Answer = server.Written(in.Thinking, in.Text, in.Calls)
		if line.Overthinks(e) && (c.Limit == 0 || c.Limit > e.ThinkTokens) { // its client goes when there is too much thinking
			c.Limit = e.ThinkTokens
		}
	}
	s := &serving{call: e.Call, chat: &chat{e, line, len(w.result.Asked) - 1}, takes: line.Takes}
	w.agenda.add(due{at: w.agenda.now + script.FirstTokenMax, call: e.Call, served: s, late: true})
	s.loads = w.unloaded()
	w.progress(e.Call, w.agenda.now, never, s.begins(w.agenda.now))
	return w.serve(s, c)
}

// rendered is the prompt of a call: with the tools, or with a description of them where the
// model has no calls of its own.
func (w *world) rendered(e *fsm.AskBrain) string {
	messages, tools := e.Messages(), w.config.Shown(e)
	if w.plan.Describes {
		messages, tools = described.Conversation(messages, tools), nil
	}
	return server.Render(messages, tools)
}

// begins is the stage that a call is in when it is asked.
func (s *serving) begins(asked fsm.Millis) stage {
	if s.loads {
		return stage{fsm.StageLoading, asked}
	}
	return stage{fsm.StageAccepted, asked}
}

// embed has the server read a text, and answers with fact.
func (w *world) embed(call fsm.CallID, text string, takes fsm.Millis, fact fsm.Fact) error {
	s := &serving{call: call, fact: fact, takes: takes}
	return w.serve(s, server.Call{Model: embedModel, Prompt: text, Embeds: true})
}

// unloaded reports whether the server has not loaded the chat model.
func (w *world) unloaded() bool { return !slices.Contains(w.server.Loaded(w.agenda.now), chatModel) }

func (w *world) serve(s *serving, c server.Call) error {
	w.asks++
	s.id, c.ID = w.asks, w.asks
	w.serving = append(w.serving, s)
	return w.begin(w.server.Ask(w.agenda.now, c))
}

// begin puts the answers of calls that have a slot now on the agenda.
func (w *world) begin(begun []server.Served) error {
	for _, v := range begun {
		s := w.serving[slices.IndexFunc(w.serving, func(s *serving) bool { return s.id == v.ID })]
		if s.chat == nil {
			w.agenda.add(due{at: v.Last + s.takes, call: s.call, fact: s.fact, served: s})
			continue
		}
		if err := w.speak(s, v); err != nil {
			return err
		}
	}
	return nil
}

// speak puts the answer of a call that is served on the agenda, with its pieces.
func (w *world) speak(s *serving, v server.Served) error {
	w.agenda.drop(func(d *due) bool { return d.served != s })
	c := s.chat
	w.result.Asked[c.asked].Served = v
	if n := len(w.result.Steps); n > 0 {
		w.result.Steps[n-1].Served = append(w.result.Steps[n-1].Served, v)
	}
	loading := v.Loaded - v.Begun
	if v.First-v.Asked-loading > script.FirstTokenMax {
		w.agenda.add(due{at: v.Asked + loading + script.FirstTokenMax, call: s.call, served: s, late: true})
		return nil
	}
	line := c.line.Served(c.ask, v, w.plan.Server.Window)
	fact, err := w.said(c.ask, line)
	if err != nil || fact == nil {
		return err
	}
	in, answered := fact.(fsm.BrainAnswered)
	w.result.Asked[c.asked].Spoke = answered && in.Text != ""
	pieces := w.veiled(c.ask, line)
	for i, p := range pieces {
		w.piece(c.ask, s.takes+v.First+(v.Last-v.First)*fsm.Millis(i)/fsm.Millis(len(pieces))-w.agenda.now, p)
	}
	w.agenda.add(due{at: v.Last + s.takes, call: s.call, fact: fact, served: s})
	stages := []stage{s.begins(v.Asked)}
	if s.loads {
		stages = append(stages, stage{fsm.StageAccepted, v.Loaded})
	}
	w.progress(s.call, v.Asked, v.Last+s.takes, append(stages, stage{fsm.StageWriting, v.First})...)
	return nil
}

// over is the outcome of a call that the server has served, or that the client has
// waited for in vain; who waits for the slot begins.
func (w *world) over(d *due) (fsm.Fact, error) {
	fact := d.fact
	if d.late {
		var err error
		if fact, err = w.said(d.served.chat.ask, script.Line{Fails: fsm.BrainLoading, Reason: script.LoadingReason}); err != nil {
			return nil, err
		}
	}
	return fact, w.leave(d.call)
}

// leave ends a call at the server, if it has it.
func (w *world) leave(call fsm.CallID) error {
	i := slices.IndexFunc(w.serving, func(s *serving) bool { return s.call == call })
	if i < 0 {
		return nil
	}
	s := w.serving[i]
	w.serving = slices.Delete(w.serving, i, i+1)
	return w.begin(w.server.End(w.agenda.now, s.id))
}

// hangUp ends every call at the server, the last first, so that none begins.
func (w *world) hangUp() {
	for _, s := range slices.Backward(w.serving) {
		w.server.End(w.agenda.now, s.id)
	}
	w.serving = nil
}
