package fork

import (
	"cmp"
	"fmt"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// due is something that one of the request's handles waits for and that can come now.
type due struct {
	handle *state.Handle // as it stands
	kind   fsm.CallKind  // of the call that is awaited; none: a wait, or a person
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
		for _, a := range h.InFlight() {
			if e := f.calls[a.Call]; e != nil {
				list = append(list, due{h, a.Kind, uint64(a.Call), e})
			}
		}
		if machine.Awaits(h).Person || machine.Awaits(h).Pauses() {
			list = append(list, due{h, "", uint64(h.Wait), nil})
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
		asked := f.record.askedBy(fsm.Answers(s.Input))
		for _, d := range list {
			if d.handle.ID == handle && d.brings(s.Input) && d.asks(asked) {
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
	if fsm.Answers(in) != 0 {
		return fsm.AnswersKind(in.Fact, d.kind)
	}
	var wants fsm.Fact = fsm.TimerFired{}
	switch d.handle.State {
	case state.Approving:
		wants = fsm.Decided{}
	case state.Held:
		wants = fsm.Resolved{}
	}
	return d.effect == nil && fsm.InputKind(in) == fsm.InputKind(fsm.Input{Fact: wants})
}

// asks reports whether what is due is what the record asked. Of the calls of a batch
// (INF-44) each has its own answer; for any other it is the kind that says it.
func (d due) asks(asked string) bool {
	if len(d.handle.Inf.Batch) == 0 || d.effect == nil || d.kind == fsm.CallStop {
		return true
	}
	name, _ := named(d.effect)
	return name == asked
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
	return f.tell(fsm.Input{At: at, Fact: fact}, source, against)
}

// ask asks the model.
func (f *forking) ask(ask fsm.AskBrain, against *history.Step) error {
	in, err := f.brain(ask, f.machine.View().Config.Shown(&ask))
	if err != nil {
		return err
	}
	in.At += f.machine.View().Now
	if !fsm.AnswersKind(in.Fact, fsm.CallBrain) {
		return fmt.Errorf("a model answers with %s", fsm.InputKind(in))
	}
	in.Fact = fsm.AnswerTo(ask.Call, in.Fact)
	return f.tell(in, FromModel, against)
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
	if known != nil {
		source = FromRecord
	}
	if question == fsm.QuestionUnknown {
		resolved, _ := known.(fsm.Resolved)
		resolved.Handle = h.ID
		return resolved, source
	}
	decided, ok := known.(fsm.Decided)
	if !ok {
		decided.By = "a fork"
	}
	decided.Handle, decided.Key = h.ID, state.PersonKey(f.machine.View(), h.ID)
	return decided, source
}

// world is the answer to what was asked of the world, the model apart.
func (f *forking) world(d due) (fsm.Fact, Source) {
	asked, call := named(d.effect)
	kind := d.kind
	if run, ok := d.effect.(fsm.RunTool); ok && kind != fsm.CallStop {
		return f.tool(run, asked)
	}
	if asked == "" || kind == fsm.CallStop { // what is written or stopped is taken as done
		return fsm.PlainAnswer(fsm.CallOf(d.effect), kind), FromFork
	}
	if known, _ := f.record.next(asked, true); fsm.AnswersKind(known, kind) {
		return fsm.AnswerTo(call, known), FromRecord
	}
	if read, ok := d.effect.(fsm.ReadText); ok { // of a result that the fork itself keeps
		if answer, _ := engine.Read(f.journal, read).(fsm.TextRead); !answer.Gone {
			return answer, FromFork
		}
	}
	return unknown(call, kind), FromFork
}

// unknown is the answer to what is read and is not in the record.
func unknown(call fsm.CallID, kind fsm.CallKind) fsm.Fact {
	switch kind {
	case fsm.CallRecall:
		return fsm.PlainAnswer(call, kind)
	case fsm.CallLoad:
		return fsm.FailedAnswer(call, kind, "the record has no such session")
	case fsm.CallEmbed:
		return fsm.FailedAnswer(call, kind, "nothing is embedded in a fork")
	default:
		return fsm.FailedAnswer(call, kind, NotRecorded)
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
