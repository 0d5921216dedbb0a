package export

import (
	"fmt"
	"iter"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// story is what a scenario needs of a record: the calls of the request's handles with
// what answered them, and what happened to it from without.
type story struct {
	record *Record
	round  func(fsm.Millis) fsm.Millis
	brief  bool         // tools that nobody called are only named
	times  []fsm.Millis // of the record's steps, by a clock that does not jump
	first  int          // the index of the step with which the scenario's time begins
	began  fsm.Millis   // when that was
	booted int          // the step of the last start, from 1; 0: none
	lived  int          // steps of the scenario so far, its boot among them

	others  int  // requests of others that are told, since they ended this one
	stopped bool // a signal has stopped the daemon, which then says farewell
	follows bool // another request comes before: it keeps this one in the queue, or this one stops it

	asked    []*call        // in the order in which they were first made
	added    []fsm.ToolDecl // tools that a configuration during the record brought
	timeline []any
	crashes  []any
	audits   []fsm.Audit
}

// call is a call of the request's handles.
type call struct {
	id     fsm.CallID
	effect fsm.Effect
	step   int // the record's step that made it last, from 1
	at     fsm.Millis
	stages int        // reported of its last try
	wrote  fsm.Millis // from when on the model wrote, if that was reported
	again  int        // how often it was made again
	lost   fsm.Millis // how long it was awaited at most before a start made it again
	answer fsm.Input  // without a fact: none came
	took   fsm.Millis
}

// refused says that a record cannot be told as a scenario.
func (r *Record) refused(step int, format string, args ...any) error {
	s := r.Steps[step-1]
	at := fmt.Sprintf("record %d", s.Index)
	if s.N > 0 {
		at = fmt.Sprintf("step %d (record %d)", s.N, s.Index)
	}
	return fmt.Errorf("use --as replay: at %s %s", at, fmt.Sprintf(format, args...))
}

// tell goes through the record.
func (r *Record) tell(round func(fsm.Millis) fsm.Millis) (*story, error) {
	jumps := r.jumps()
	s := &story{record: r, round: round, lived: 1, times: r.steady(jumps)}
	s.first, _ = r.begins()
	if s.follows = r.waited() || r.stops() || r.looks(); s.follows {
		s.lived, s.first = s.lived+1, 0
	}
	if r.schedule() != nil { // which is added first
		s.lived++
	}
	s.began = s.times[s.first]
	s.record = r.asOf(s.first)
	before, was, had := r.From.Lifecycle, setBy(r.From.Config), r.standing(&r.From)
	for i, f := range engine.FoldInputs(r.From, r.inputs()) {
		now, has := setBy(f.Machine.View().Config), r.standing(f.Machine.View())
		if err := s.configured(i+1, was, now, had, has); err != nil {
			return nil, err
		}
		was, had = now, has
		if jump := jumps[i]; jump != 0 && i > s.first {
			s.when(i+1, object{{"clock_jump", leap(jump)}})
		}
		if err := s.step(i+1, before); err != nil {
			return nil, err
		}
		before = f.Machine.View().Lifecycle
		if own := f.Machine.View().IndexOf(r.Request.Handle); own >= 0 && f.Machine.View().Handles[own].Joined > 0 {
			return nil, r.refused(i+1, "another event joined it, which no case can tell while it waits")
		}
	}
	if !r.Ended { // what is still awaited
		s.asked = slices.DeleteFunc(s.asked, func(c *call) bool { return c.answer.Fact == nil })
	}
	return s, nil
}

// asOf is the record with the configuration and the grants that held before a step, by its index:
// a scenario begins with them.
func (r *Record) asOf(first int) *Record {
	own := *r
	for i, f := range engine.FoldInputs(r.From, r.inputs()) {
		if i == first {
			break
		}
		own.From.Config, own.From.Grants = f.Machine.View().Config, slices.Clone(f.Machine.View().Grants)
	}
	return &own
}

// inputs are those of its steps.
func (r *Record) inputs() iter.Seq[fsm.Input] {
	return func(yield func(fsm.Input) bool) {
		for i := range r.Steps {
			if !yield(r.Steps[i].Input) {
				return
			}
		}
	}
}

// begins is the index of the step in which the request's handle left the queue, and the state that
// it went to; what it waited for is not told.
func (r *Record) begins() (index int, to fsm.State) {
	for i, s := range r.Steps {
		for _, m := range s.Moves {
			if m.Table == state.HandleTable.Name && r.owns(m.Handle) {
				return i, m.To
			}
		}
	}
	return 0, ""
}

// waited reports whether something else than its turn came to the request in the queue.
func (r *Record) waited() bool {
	_, to := r.begins()
	return to == state.Cancelled || to == state.Parked
}

// neverRan reports whether the request ended without leaving the queue but to be parked.
func (r *Record) neverRan() bool {
	return !slices.ContainsFunc(r.Steps, func(s history.Step) bool {
		return slices.ContainsFunc(s.Moves, func(m state.Move) bool {
			return m.Table == state.HandleTable.Name && r.owns(m.Handle) && m.To != state.Parked && m.To != state.Queued && m.To != state.Cancelled
		})
	})
}

// command is the command that the request is, answered at once (SES-15), or "".
func (r *Record) command() string {
	in, ok := r.Steps[0].Input.Fact.(fsm.Requested)
	if !ok || len(r.Steps) > 1 {
		return ""
	}
	return machine.CommandOf(in.Text)
}

// stops reports whether the request is a command that has ended others.
func (r *Record) stops() bool {
	c := &r.From.Config
	return r.command() == "stop" && c.Switches.Cancel != fsm.CancelRefused && r.Request.Reply != c.Words.Text(fsm.WordStopNothing)
}

// looks reports whether the request is a command that tells what another of its session does.
func (r *Record) looks() bool {
	session, _ := fsm.Belongs(r.Request.Session, r.Request.Origin)
	return r.command() == "status" && slices.ContainsFunc(r.From.Handles, func(h state.Handle) bool {
		return h.Session == session && h.Kind != fsm.KindMemory // which a status does not tell of
	})
}

// before are another request and the model's answer to it, which comes once this one has
// left the queue, or not at all where it is stopped.
func (s *story) before() (request, line object) {
	in, _ := s.record.Steps[0].Input.Fact.(fsm.Requested)
	request = object{{"user", "Something else."}, {"id", otherID}}
	request.text("session", in.Session)
	request.text("channel", in.Origin.Channel)
	request.text("chat", in.Origin.Chat)
	until, _ := s.record.begins()
	if s.record.neverRan() {
		until = len(s.times) - 1
	}
	asked := s.began
	for i, step := range s.record.Steps[:until] {
		if _, starts := step.Input.Fact.(fsm.Boot); starts && i > s.first { // after a crash, at which nothing else has happened
			asked += s.down(i + 1)
		}
	}
	left := s.round(s.times[until]-asked) + s.room(until)
	return request, object{{"says", "It is done."}, {"takes", span(left)}}
}

// room is how long after a step another request may still be at work: a second, and where a start
// follows half of the time until then, so that the daemon has stopped by then.
func (s *story) room(after int) fsm.Millis {
	for i, step := range s.record.Steps[after+1:] {
		if _, starts := step.Input.Fact.(fsm.Boot); starts {
			return min(fsm.Second, (s.times[after+1+i]-s.times[after])/2)
		}
	}
	return fsm.Second
}

func (r *Record) owns(id fsm.HandleID) bool { return id != 0 && slices.Contains(r.Handles, id) }

// step takes in one step, before which the lifecycle was in a state.
func (s *story) step(n int, before fsm.State) error {
	step := &s.record.Steps[n-1]
	switch in := step.Input.Fact.(type) {
	case fsm.Boot:
		if err := s.boot(n, in, before); err != nil {
			return err
		}
	case fsm.Configured: // told where it changes something
	case fsm.Signalled:
		s.lived++
		s.stopped = true
		s.when(n, object{{"shutdown", in.Name}})
	default:
		if step.About {
			if !s.progressed(n, in) {
				s.lived++
			}
			if err := s.input(n); err != nil {
				return err
			}
		} else {
			s.other(n)
		}
	}
	for _, e := range step.Effects {
		if !s.record.owns(fsm.HandleOf(e)) {
			continue
		}
		if a, ok := e.(fsm.Audit); ok && a.Ran() {
			s.audits = append(s.audits, a)
		}
		if id := fsm.CallOf(e); id != 0 {
			s.call(n, id, e)
		}
	}
	return nil
}

// progressed reports whether an input is another stage of a model call than the first: a call of the
// scenario comes to one alone, unless it is streamed.
func (s *story) progressed(n int, in fsm.Fact) bool {
	p, ok := in.(fsm.BrainProgress)
	if !ok {
		return false
	}
	for _, c := range s.asked {
		if c.id == p.Call {
			before := c.stages
			c.stages++
			if p.Stage == fsm.StageWriting {
				c.wrote = s.times[n-1] - c.at
			}
			return before > 0
		}
	}
	return false
}

// when adds an entry of the timeline, at the time of a step and after what the case begins with.
func (s *story) when(n int, entry object) { s.add(max(s.round(s.times[n-1]-s.began), 2*apart), entry) }

// at adds an entry of the timeline.
func (s *story) at(time fsm.Millis, entry object) { s.add(s.round(time-s.began), entry) }

func (s *story) add(at fsm.Millis, entry object) {
	s.timeline = append(s.timeline, append(object{{"at", span(at)}}, entry...))
}

// boot tells a start: after a stop, or after a crash.
func (s *story) boot(n int, in fsm.Boot, before fsm.State) error {
	s.booted = n
	if n-1 < s.first { // it waited, and that is not told
		return nil
	}
	if before == state.Stopped {
		s.lived++
		s.when(n, object{{"start", true}})
		return nil
	}
	if len(in.Doubts) > 0 {
		return s.record.refused(n, "a start held a handle whose journal it decided differently")
	}
	s.crashes = append(s.crashes, object{{"at", fmt.Sprintf("step.%d", s.lived)}, {"restart_after", span(s.down(n))}})
	s.lived++
	return nil
}

// down is how long the process was down before a start.
func (s *story) down(n int) fsm.Millis { return max(s.times[n-1]-s.times[max(n-2, 0)], 1) }

// input tells what came from without, and notes what answers a call.
func (s *story) input(n int) error {
	step := &s.record.Steps[n-1]
	switch in := step.Input.Fact.(type) {
	case fsm.Requested, fsm.TimerFired, fsm.BrainProgress: // the first entry; what the machine arms itself; what the world brings with the call
	case fsm.EventRaised, fsm.ScheduleDue, fsm.ScheduleChanged: // the first entry
	case fsm.CancelRequested:
		s.when(n, object{{"cancel", s.nameOf(n, step.Handle)}})
	case fsm.Decided:
		verb := "deny"
		if in.Approve {
			verb = "approve"
		}
		var how object
		how.text("tool", s.elsewhere(n, in))
		if in.By != "" {
			how = append(how, member{"by", in.By})
		}
		if in.Grant != fsm.GrantOnce {
			how = append(how, member{"grant", string(in.Grant)})
		}
		how.text("reason", in.Reason)
		if how == nil {
			s.when(n, object{{verb, true}})
		} else {
			s.when(n, object{{verb, how}})
		}
	case fsm.Resolved:
		s.when(n, object{{"resolve", object{{"text", in.Text}}}})
	default:
		return s.answered(n)
	}
	return nil
}

// answered notes the answer to a call.
func (s *story) answered(n int) error {
	step := &s.record.Steps[n-1]
	id := fsm.Answers(step.Input)
	i := slices.IndexFunc(s.asked, func(c *call) bool { return c.id == id })
	if i < 0 {
		return s.record.refused(n, "a call was answered that was made before the request")
	}
	c := s.asked[i]
	if in, ok := step.Input.Fact.(fsm.SessionSaved); ok && in.Conflict {
		s.edited(c, in.Session)
	}
	c.answer, c.took = step.Input, s.times[n-1]-c.at
	if c.lost > 0 && c.lost >= c.took { // it must not be answered before
		c.took = c.lost + fsm.Second
	}
	return nil
}

// call notes a call. One that is made again without an answer is the same, and has the same entry
// of the script or the tool.
func (s *story) call(n int, id fsm.CallID, e fsm.Effect) {
	for _, c := range s.asked {
		if c.answer.Fact == nil && sameCall(c.effect, e) && (c.step < s.booted || scripted(e)) {
			if c.step < s.booted {
				c.lost = max(c.lost, s.times[s.booted-2]-c.at)
			}
			c.id, c.step, c.at, c.again, c.stages = id, n, s.times[n-1], c.again+1, 0
			return
		}
	}
	s.asked = append(s.asked, &call{id: id, effect: e, step: n, at: s.times[n-1]})
}

// scripted reports whether a call has an entry of a script or of a tool.
func scripted(e fsm.Effect) bool {
	_, asks := e.(fsm.AskBrain)
	_, runs := e.(fsm.RunTool)
	return asks || runs
}

// sameCall reports whether a call is made again.
func sameCall(a, b fsm.Effect) bool {
	if fsm.EffectKind(a) != fsm.EffectKind(b) || fsm.HandleOf(a) != fsm.HandleOf(b) {
		return false
	}
	if a, ok := a.(fsm.AskBrain); ok {
		b := b.(fsm.AskBrain)
		return a.Purpose == b.Purpose && a.Conversation.Hash == b.Conversation.Hash
	}
	if a, ok := a.(fsm.RunTool); ok {
		b := b.(fsm.RunTool)
		return a.Key == b.Key && a.Attempt == b.Attempt
	}
	if a, ok := a.(fsm.RunProbe); ok {
		b := b.(fsm.RunProbe)
		return a.Key == b.Key && a.Attempt == b.Attempt
	}
	return true
}

// of returns the calls of one kind.
func of[E fsm.Effect](s *story) []*call {
	var list []*call
	for _, c := range s.asked {
		if _, ok := c.effect.(E); ok {
			list = append(list, c)
		}
	}
	return list
}
