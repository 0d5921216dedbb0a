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
	first  int          // the index of the first step that is told beside the request itself
	began  fsm.Millis   // when the scenario's time begins
	was    fsm.State    // the lifecycle before the step that is told
	booted int          // the step of the last start, from 1; 0: none
	starts []int        // the steps of those that are told, from 1
	marks  int          // steps so far that the scenario has, too (see [marked])

	ahead   map[string]int // calls of services, by their kinds, that another request makes before this one does
	others  int            // requests of others that are told, since they ended this one
	stopped bool           // a signal has stopped the daemon, which then says farewell
	follows bool           // another request comes before: it keeps this one in the queue, or this one stops it

	again int  // the step of the start, from 1, after which one more keeps it there, until it ends; 0: none
	plain bool // services just work

	asked    []*call        // in the order in which they were first made
	added    []fsm.ToolDecl // tools that a configuration during the record brought
	timeline []any
	taken    []fsm.Millis // the times of its entries
	crashes  []crash
	audits   []fsm.Audit
}

// call is a call of the request's handles.
type call struct {
	id     fsm.CallID
	effect fsm.Effect
	step   int // the record's step that made it last, from 1
	at     fsm.Millis
	wrote  fsm.Millis // from when on the model wrote, if that was reported
	again  int        // how often it was made again
	redone int        // of them those that a crash had interrupted, which meet the same fault
	lost   fsm.Millis // how long it was awaited at most before a start made it again
	answer fsm.Input  // without a fact: none came
	took   fsm.Millis
}

// refusal says that a record cannot be told as a scenario, from a step on.
type refusal struct {
	step int
	text string
}

func (e *refusal) Error() string { return e.text }

// refused says that a record cannot be told as a scenario.
func (r *Record) refused(step int, format string, args ...any) error {
	s := r.Steps[step-1]
	at := fmt.Sprintf("record %d", s.Index)
	if s.N > 0 {
		at = fmt.Sprintf("step %d (record %d)", s.N, s.Index)
	}
	return &refusal{step, fmt.Sprintf("use --as replay: at %s %s", at, fmt.Sprintf(format, args...))}
}

// tell goes through the record.
func (r *Record) tell(how telling) (*story, error) {
	jumps := r.jumps()
	s := &story{record: r, round: how.round, times: r.steady(jumps)}
	if how.spread {
		r.spread(s.times)
	}
	s.first, _ = r.begins()
	s.began = s.times[s.first]
	if _, starts := r.Steps[s.first].Input.Fact.(fsm.Boot); starts { // with what it brings
		s.first++
	}
	if s.follows = r.waited() || r.stops() || r.looks(); s.follows {
		s.first = r.started()
		s.began = s.times[max(s.first-1, 0)]
		s.again = r.waitsAgain()
	}
	s.record = r.asOf(s.first)
	was, had := setBy(r.From.Config), r.standing(&r.From)
	s.was = r.From.Lifecycle
	for i, f := range engine.FoldInputs(r.From, r.inputs()) {
		now, has := setBy(f.Machine.View().Config), r.standing(f.Machine.View())
		if err := s.configured(i+1, was, now, had, has); err != nil {
			return nil, err
		}
		was, had = now, has
		if jump := jumps[i]; jump != 0 && i > s.first {
			s.when(i+1, object{{"clock_jump", leap(jump)}})
		}
		if err := s.step(i + 1); err != nil {
			return nil, err
		}
		if _, starts := r.Steps[i].Input.Fact.(fsm.Boot); i == 0 || i >= s.first && r.marked(i) && (!starts || s.tells(i+1)) {
			s.marks++
		}
		s.was = f.Machine.View().Lifecycle
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

// started is the index of the step after the last start at which the request was in the queue and stayed
// there, or 0: what such a crash interrupted is not told.
func (r *Record) started() (index int) {
	left, _ := r.begins()
	for i, s := range r.Steps[:left] {
		if _, starts := s.Input.Fact.(fsm.Boot); starts {
			index = i + 1
		}
	}
	return index
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

// waitsAgain is the step, from 1, of the one start that gives the request, parked before its turn, back to the
// queue, where it is cancelled before its turn has come; 0: it is otherwise.
func (r *Record) waitsAgain() (step int) {
	if !r.neverRan() {
		return 0
	}
	var from fsm.State // which it left last
	for i, s := range r.Steps {
		for _, m := range s.Moves {
			if m.Table != state.HandleTable.Name || !r.owns(m.Handle) {
				continue
			}
			if m.To == state.Queued && step > 0 {
				return 0
			}
			if m.To == state.Queued {
				step = i + 1
			}
			from = m.From
		}
	}
	if from != state.Queued {
		return 0
	}
	return step
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

// another is one request, which comes before this one.
func (s *story) another(id string) object {
	in, _ := s.record.Steps[0].Input.Fact.(fsm.Requested)
	request := object{{"user", "Something else."}, {"id", id}}
	request.text("session", in.Session)
	request.text("channel", in.Origin.Channel)
	request.text("chat", in.Origin.Chat)
	return request
}

// before are the model's answers to the requests before: to the first once this one has left the queue, or not
// at all where it is stopped, and to the one that has its turn after a start once this one has ended.
func (s *story) before() (lines []any) {
	until, _ := s.record.begins()
	if s.record.neverRan() && s.again == 0 {
		until = len(s.times) - 1
	}
	asked := s.began
	for i := range until {
		if slices.Contains(s.starts, i+1) { // after a crash, at which nothing else has happened
			asked += s.down(i + 1)
		}
	}
	left := s.round(s.times[until]-asked) + s.room(until)
	lines = []any{object{{"says", "It is done."}, {"takes", span(s.comes() + left)}}}
	if s.again > 0 {
		last := len(s.times) - 1
		lines = append(lines, object{{"says", "It is done."}, {"takes", span(s.round(s.times[last]-s.times[s.again-1]) + s.room(last))}})
	}
	return lines
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

// step takes in one step.
func (s *story) step(n int) error {
	step := &s.record.Steps[n-1]
	switch in := step.Input.Fact.(type) {
	case fsm.Boot:
		if err := s.boot(n, in); err != nil {
			return err
		}
	case fsm.Configured: // told where it changes something
	case fsm.Signalled:
		if n-1 >= s.first {
			s.stopped = true
			s.when(n, object{{"shutdown", in.Name}})
		}
	default:
		if step.About {
			s.progressed(n, in)
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

// progressed notes from when on a model wrote.
func (s *story) progressed(n int, in fsm.Fact) {
	p, ok := in.(fsm.BrainProgress)
	if !ok || p.Stage != fsm.StageWriting {
		return
	}
	for _, c := range s.asked {
		if c.id == p.Call {
			c.wrote = s.times[n-1] - c.at
		}
	}
}

// when adds an entry of the timeline, at the time of a step.
func (s *story) when(n int, entry object) { s.at(s.times[n-1], entry) }

// at adds an entry of the timeline, after what the case begins with and at a time of its own: of entries
// of one time any may come first (SIM-2).
func (s *story) at(time fsm.Millis, entry object) {
	begun := 2 * apart
	if s.again > 0 {
		begun += apart
	}
	at := max(s.round(time-s.began), begun)
	for slices.Contains(s.taken, at) {
		at += apart
	}
	s.taken = append(s.taken, at)
	s.timeline = append(s.timeline, append(object{{"at", span(at)}}, entry...))
}

// tells reports whether a start is told: not one after a crash that found nothing of the request at work,
// which left it as it was.
func (s *story) tells(n int) bool {
	if slices.Contains(s.starts, n) {
		return true
	}
	return n-1 >= s.first && (s.was != state.Serving && s.was != state.Initializing || s.interrupted(n))
}

// boot tells a start: after a stop, or after a crash.
func (s *story) boot(n int, in fsm.Boot) error {
	s.booted = n
	if !s.tells(n) {
		return nil
	}
	s.starts = append(s.starts, n)
	if s.was == state.Stopped {
		s.when(n, object{{"start", true}})
		return nil
	}
	if len(in.Doubts) > 0 {
		return s.record.refused(n, "a start held a handle whose journal it decided differently")
	}
	s.crashes = append(s.crashes, crash{start: n, after: s.marks, down: s.down(n)})
	return nil
}

// interrupted reports whether a start found the request, or one of its subagents, at work: what waits in
// the queue, or is parked and stays so, a crash leaves as it is.
func (s *story) interrupted(n int) bool {
	return slices.ContainsFunc(s.record.Steps[n-1].Moves, func(m state.Move) bool {
		return m.Table == state.HandleTable.Name && s.record.owns(m.Handle) && m.From != state.Queued
	})
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
				if slices.ContainsFunc(s.crashes, func(k crash) bool { return k.start == s.booted }) {
					c.redone++
				}
				c.lost = max(c.lost, s.times[s.booted-2]-c.at)
			}
			c.id, c.step, c.at, c.again = id, n, s.times[n-1], c.again+1
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
