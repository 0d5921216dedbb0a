package sim

import (
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/grant"
	"shelly/fsm/state"
)

// person answers a question. A person who was not asked yet, or whose answer a crash may have
// lost, waits for the question. One who comes too late answers all the same, and the machine
// ignores it.
func (r *run) person(m *Moment) error {
	q, ok := r.question(m.Answer)
	if !ok || r.driver == nil {
		r.waiting = append(r.waiting, waiter{moment: m})
		return nil
	}
	err := r.says(q, m.Answer)
	if err != nil && !engine.Refused(err) {
		r.waiting = append(r.waiting, waiter{m, &q})
	}
	return r.word(m, err)
}

// says gives the machine a person's answer to a question.
func (r *run) says(q fsm.AskPerson, a *PersonAnswer) (err error) {
	if a.Decision {
		in := fsm.Decided{Handle: q.Handle, Key: q.Key, Approve: a.Approve, By: a.By, Grant: a.Grant, Reason: a.Reason}
		if g, given := r.driver.Grant(r.now().Wall, in); given && r.driver.Short(r.now()) == nil {
			r.grants = grant.Add(r.grants, g) // before the decision (APR-14)
		}
		_, err = r.driver.Decide(r.now(), in)
	} else {
		_, err = r.driver.Resolve(r.now(), fsm.Resolved{Handle: q.Handle, Text: a.Text})
	}
	return err
}

// revoke revokes a grant, in the file first (APR-17). If the process is down or dies in it, the
// next one is told.
func (r *run) revoke(m *Moment) error {
	if r.driver == nil {
		r.waiting = append(r.waiting, waiter{moment: m})
		return nil
	}
	id := m.Revoke.id
	if id == "" {
		s := r.machine.View()
		if id = nthGrant(slices.Concat(s.Grants, s.Config.Grants), m.Revoke.Nth); id == "" {
			if !m.Optional && len(r.result.Crashes) == 0 {
				r.unexpected(m, "a revocation, but there was no grant to revoke")
			}
			return nil
		}
	}
	if err := r.driver.Short(r.now()); err != nil {
		return r.word(m, err)
	}
	r.grants = grant.Without(r.grants, func(g *fsm.Grant) bool { return grant.ID(g) == id })
	_, err := r.driver.Revoke(r.now(), fsm.Revoked{Grant: id, By: "a person"})
	if err != nil && !engine.Refused(err) {
		again := *m
		again.Revoke = &Revoke{id: id}
		r.waiting = append(r.waiting, waiter{moment: &again})
	}
	return r.word(m, err)
}

// schedule gives the machine a person's change of a schedule. If the process is down, is stopping or
// dies in it, the next one gets it, unless the journal has it. A change that is refused is a failure of
// the case, unless it is optional.
func (r *run) schedule(m *Moment) error {
	if r.driver == nil || r.written(m) {
		if r.driver == nil {
			r.waiting = append(r.waiting, waiter{moment: m})
		}
		return nil
	}
	_, _, err := r.driver.Schedule(r.now(), *m.Schedule)
	if unfit, ok := errors.AsType[*engine.UnfitError](err); ok {
		if !m.Optional && len(r.result.Crashes) == 0 {
			r.unexpected(m, "a change of a schedule that was refused: "+unfit.Why)
		}
		return nil
	}
	if errors.Is(err, engine.ErrStopping) {
		r.waiting = append(r.waiting, waiter{moment: m})
		return nil
	}
	if err != nil && !engine.Refused(err) {
		r.waiting = append(r.waiting, waiter{moment: m})
	}
	return r.word(m, err)
}

// typing says that a person writes. Nobody says it again to the next process.
func (r *run) typing(m *Moment) error {
	if r.driver == nil {
		return nil
	}
	in := fsm.Typing{}
	in.Session, _ = fsm.Belongs(m.Typing.Session, fsm.Origin{})
	in.Unloaded = r.world.server != nil && r.world.unloaded()
	_, err := r.driver.Typing(r.now(), in)
	if engine.Refused(err) {
		err = nil // the question itself is repeated
	}
	return r.told(err)
}

// unexpected notes that a moment of the timeline came to nothing.
func (r *run) unexpected(m *Moment, what string) {
	u := Unexpected{What: what, Moment: -1}
	for i := range r.plan.Timeline {
		if &r.plan.Timeline[i] == m {
			u.Moment = i
		}
	}
	r.result.Unexpected = append(r.result.Unexpected, u)
}

// written reports whether the journal has a change of a schedule as often as it was made so far.
func (r *run) written(m *Moment) bool {
	said, has := 0, 0
	for i := range r.plan.Timeline {
		if o := &r.plan.Timeline[i]; o.Schedule != nil && *o.Schedule == *m.Schedule && o.At <= m.At {
			said++
		}
	}
	for _, s := range r.result.Steps {
		if in, ok := s.Input.Fact.(fsm.ScheduleChanged); ok && in == *m.Schedule {
			has++
		}
	}
	return has >= said
}

// nthGrant returns the id of the n-th grant, or of the last if n is 0; empty if there is none.
func nthGrant(all []fsm.Grant, n int) string {
	if n == 0 {
		n = len(all)
	}
	if n < 1 || n > len(all) {
		return ""
	}
	return grant.ID(&all[n-1])
}

// question returns the question that a person answers: an open one or, in a run without a
// crash, the last that was asked.
func (r *run) question(a *PersonAnswer) (fsm.AskPerson, bool) {
	asked := r.questions(a)
	var open []fsm.AskPerson
	for _, q := range asked {
		if r.isOpen(q) {
			open = append(open, q)
		}
	}
	switch {
	case a.Nth > 0 && a.Nth <= len(open):
		return open[a.Nth-1], true
	case a.Nth == 0 && len(open) > 0:
		return open[len(open)-1], true
	case a.Nth == 0 && len(asked) > 0 && len(r.result.Crashes) == 0:
		return asked[len(asked)-1], true
	default:
		return fsm.AskPerson{}, false
	}
}

// questions returns what the journal's steps asked of a person, each question once.
func (r *run) questions(a *PersonAnswer) []fsm.AskPerson {
	var list []fsm.AskPerson
	for _, s := range r.result.Steps {
		for _, e := range s.Effects {
			q, ok := e.(fsm.AskPerson)
			if !ok || (q.Question == fsm.QuestionApprove) != a.Decision || a.Tool != "" && a.Tool != q.Tool {
				continue
			}
			if !slices.ContainsFunc(list, func(o fsm.AskPerson) bool {
				return o.Handle == q.Handle && o.Question == q.Question && o.Key == q.Key
			}) {
				list = append(list, q)
			}
		}
	}
	return list
}

// isOpen reports whether a handle still waits for the answer to a question.
func (r *run) isOpen(q fsm.AskPerson) bool {
	s := r.machine.View()
	i := s.IndexOf(q.Handle)
	if i < 0 {
		return false
	}
	switch at := s.Handles[i].State; q.Question {
	case fsm.QuestionApprove:
		return at == state.Approving && r.lastAsked(q.Handle) == q.Key
	case fsm.QuestionUnknown:
		return at == state.Held && r.lastAsked(q.Handle) == q.Key
	default:
		return at == state.Held || at == state.Parked
	}
}

// lastAsked returns the key of the last question about a handle.
func (r *run) lastAsked(handle fsm.HandleID) string {
	key := ""
	for _, s := range r.result.Steps {
		for _, e := range s.Effects {
			if q, ok := e.(fsm.AskPerson); ok && q.Handle == handle {
				key = q.Key
			}
		}
	}
	return key
}

// asked wakes the persons who wait if a step asks something.
func (r *run) asked(effects []fsm.Effect) {
	for _, e := range effects {
		if _, ok := e.(fsm.AskPerson); ok {
			r.wake()
			return
		}
	}
}

// waiter is a person who waits to be asked, or whose answer a crash may have lost.
type waiter struct {
	moment   *Moment
	answered *fsm.AskPerson // nil: none yet
}

// wake lets the persons who wait look for their question again. An answer that the crash did
// not lose is not repeated, because it would answer the next question.
func (r *run) wake() {
	for _, w := range r.waiting {
		if w.answered == nil || !r.heard(*w.answered) {
			r.world.agenda.add(due{at: r.world.agenda.now, entry: w.moment})
		}
	}
	r.waiting = nil
}

// heard reports whether the journal has an answer to a question.
func (r *run) heard(q fsm.AskPerson) bool {
	asked := false
	for _, s := range r.result.Steps {
		decided, ok := s.Input.Fact.(fsm.Decided)
		if ok && asked && decided.Handle == q.Handle && decided.Key == q.Key {
			return true
		}
		if resolved, ok := s.Input.Fact.(fsm.Resolved); ok && asked && resolved.Handle == q.Handle {
			return true
		}
		asked = asked || slices.ContainsFunc(s.Effects, func(e fsm.Effect) bool { return e == fsm.Effect(q) })
	}
	return false
}

// unsaid reports the answers of the plan that no question asked for, and the messages of steps
// that a crash lost.
func (r *run) unsaid() {
	for _, w := range r.waiting {
		if len(r.result.Crashes) > 0 {
			break // the answer may have been there before the crash
		}
		if w.moment.Optional {
			continue
		}
		what := "a resolution, but nothing was held"
		if w.moment.Answer == nil {
			continue // a revocation or a schedule for a process that never came
		}
		if w.moment.Answer.Decision {
			what = "a decision, but no tool call waited for one; does its tool have approve: true?"
		}
		r.unexpected(w.moment, what)
	}
	listed := map[string]bool{}
	for i := range r.result.Messages {
		listed[r.result.Messages[i].Key] = true
	}
	for _, key := range r.world.sent {
		if !listed[key] {
			r.world.unexpected("message " + key + ", sent by a step that a crash lost")
		}
	}
}
