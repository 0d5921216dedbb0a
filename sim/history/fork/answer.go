package fork

import (
	"cmp"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// due is something that one of the request's handles waits for and that can come now.
type due struct {
	handle *state.Handle // as it stands
	order  uint64        // of the call or timer: what was asked first is lower
	effect fsm.Effect    // what was asked; nil: a wait, or a person
}

// pending is what can come now, the oldest first.
func (f *forking) pending() []due {
	var list []due
	handles := f.machine.View().Handles
	for i := range handles {
		h := &handles[i]
		if !slices.Contains(f.family, h.ID) {
			continue
		}
		switch {
		case h.Await.Call != 0 && f.calls[h.Await.Call] != nil:
			list = append(list, due{h, uint64(h.Await.Call), f.calls[h.Await.Call]})
		case machine.Awaits(h).Person, machine.Awaits(h).Pauses():
			list = append(list, due{h, uint64(h.Wait), nil})
		}
	}
	slices.SortFunc(list, func(a, b due) int { return cmp.Compare(a.order, b.order) })
	return list
}

// choose returns what comes next, in the order of the record as long as the ways go
// together, and the step of the record that it is held against.
func (f *forking) choose(list []due) (due, *history.Step) {
	if len(f.ahead) > 0 {
		s := f.ahead[0]
		handle := f.here(s.Handle)
		for _, d := range list {
			if d.handle.ID == handle && d.brings(s.Input) {
				f.ahead = f.ahead[1:]
				return d, &s
			}
		}
		f.ahead, f.astray = nil, true
	}
	return list[0], nil
}

// here returns the handle of the fork that stands for one of the record: the n-th
// subagent for the n-th.
func (f *forking) here(recorded fsm.HandleID) fsm.HandleID {
	if i := slices.Index(f.point.History.Handles, recorded); i >= 0 && i < len(f.family) {
		return f.family[i]
	}
	return 0
}

// brings reports whether what is due is of an input's kind.
func (d due) brings(in fsm.Input) bool {
	kind := d.handle.Await.Kind
	switch in.Fact.(type) {
	case fsm.BrainAnswered, fsm.BrainFailed:
		return kind == fsm.CallBrain
	case fsm.ToolAnswered:
		return kind == fsm.CallTool || kind == fsm.CallStop
	case fsm.ToolStopped:
		return kind == fsm.CallStop
	case fsm.Recalled:
		return kind == fsm.CallRecall
	case fsm.Embedded:
		return kind == fsm.CallEmbed
	case fsm.Stored:
		return kind == fsm.CallStore
	case fsm.SessionLoaded:
		return kind == fsm.CallLoad
	case fsm.SessionSaved:
		return kind == fsm.CallSave
	case fsm.SkillLoaded:
		return kind == fsm.CallSkill
	case fsm.Decided:
		return d.handle.State == state.Approving
	case fsm.Resolved:
		return d.handle.State == state.Held
	case fsm.TimerFired:
		return d.effect == nil && d.handle.State != state.Approving && d.handle.State != state.Held
	default:
		return false
	}
}

// answer lets what is due come (SIM-19).
func (f *forking) answer(d due, against *history.Step) error {
	at := f.machine.View().Now
	if against != nil {
		at = max(at, against.Input.At)
	}
	if ask, ok := d.effect.(fsm.AskBrain); ok {
		return f.ask(ask, against)
	}
	fact, source := f.person(d)
	if d.effect != nil {
		fact, source = f.world(d)
	}
	f.tell(fsm.Input{At: at, Fact: fact}, source, against)
	return nil
}

// ask asks the model.
func (f *forking) ask(ask fsm.AskBrain, against *history.Step) error {
	f.result.Questions++
	in, err := f.brain(ask, f.machine.View().Config.Offered(ask.Tools))
	if err != nil {
		return err
	}
	in.At += f.machine.View().Now
	switch said := in.Fact.(type) {
	case fsm.BrainAnswered:
		said.Call = ask.Call
		in.Fact = said
	case fsm.BrainFailed:
		said.Call = ask.Call
		in.Fact = said
	default:
		return fmt.Errorf("a model answers with %s", fsm.InputKind(in))
	}
	f.tell(in, FromModel, against)
	return nil
}

// person is what a handle hears that waits for no call: a person's word as recorded about
// the same call, or a refusal; or the end of its wait.
func (f *forking) person(d due) (fsm.Fact, Source) {
	h := d.handle
	question := fsm.QuestionApprove
	switch h.State {
	case state.Held:
		question = fsm.QuestionUnknown
	case state.Approving:
	default:
		return fsm.TimerFired{Timer: h.Wait}, FromFork
	}
	asked, source := "", FromFork
	if h.Inf.Next < len(h.Inf.Calls) {
		c := h.Inf.Calls[h.Inf.Next]
		asked, _ = named(fsm.AskPerson{Question: question, Tool: c.Name, Args: c.Args})
	}
	known, _ := f.record.next(asked, false)
	decided, resolved := fsm.Decided{By: "a fork"}, fsm.Resolved{}
	switch known := known.(type) {
	case fsm.Decided:
		decided, source = known, FromRecord
	case fsm.Resolved:
		resolved, source = known, FromRecord
	}
	if question == fsm.QuestionUnknown {
		resolved.Handle = h.ID
		return resolved, source
	}
	decided.Handle, decided.Key = h.ID, state.PersonKey(f.machine.View(), h.ID)
	return decided, source
}

// world is the answer to what was asked of the world, the model apart.
func (f *forking) world(d due) (fsm.Fact, Source) {
	asked, call := named(d.effect)
	switch e := d.effect.(type) {
	case fsm.RunTool:
		if d.handle.Await.Kind == fsm.CallStop {
			return fsm.ToolStopped{Answered: fsm.To(e.Call)}, FromFork
		}
		return f.tool(e, asked)
	case fsm.SaveSession:
		return fsm.SessionSaved{Answered: fsm.To(e.Call)}, FromFork
	case fsm.Store:
		return fsm.Stored{Answered: fsm.To(e.Call)}, FromFork
	}
	known, _ := f.record.next(asked, true)
	switch known := known.(type) {
	case fsm.Recalled:
		known.Call = call
		return known, FromRecord
	case fsm.SessionLoaded:
		known.Call = call
		return known, FromRecord
	case fsm.SkillLoaded:
		known.Call = call
		return known, FromRecord
	case fsm.Embedded:
		known.Call = call
		return known, FromRecord
	}
	return unknown(d.effect), FromFork
}

// unknown is the answer to what is read and is not in the record.
func unknown(e fsm.Effect) fsm.Fact {
	switch e := e.(type) {
	case fsm.LoadSession:
		return fsm.SessionLoaded{Answered: fsm.To(e.Call), Error: "the record has no such session"}
	case fsm.LoadSkill:
		return fsm.SkillLoaded{Answered: fsm.To(e.Call), Error: NotRecorded}
	case fsm.Embed:
		return fsm.Embedded{Answered: fsm.To(e.Call), Error: "nothing is embedded in a fork"}
	default:
		return fsm.Recalled{Answered: fsm.To(fsm.CallOf(e))}
	}
}

// tool is the recorded result of a call, or a refusal. That of a call with effects is given
// once: it stands for the one time that it was run.
func (f *forking) tool(e fsm.RunTool, asked string) (fsm.Fact, Source) {
	answer, known := f.record.next(asked, e.Effects == fsm.EffectsNone)
	if in, ok := answer.(fsm.ToolAnswered); ok {
		in.Call = e.Call
		return in, FromRecord
	}
	why := NotRecorded
	if known {
		why = NoResult
	}
	f.result.Refused = append(f.result.Refused, Refusal{Handle: e.Handle, Tool: e.Name, Args: e.Args, Why: why})
	return fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: why, Failed: true, Invalid: true}, FromFork
}
