package sim

import (
	"errors"
	"slices"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// moment plays one entry of the timeline.
func (r *run) moment(m *Moment) error {
	switch {
	case m.Boot && r.engine == nil:
		return r.start()
	case m.Request != nil:
		return r.request(*m.Request)
	case m.Again && len(r.sent) > 0:
		return r.request(r.sent[len(r.sent)-1])
	case m.Event != nil:
		return r.tell(Moment{Event: m.Event})
	case m.Cancel != nil:
		return r.cancel(m)
	case m.Configure != nil:
		return r.configure(*m.Configure)
	case m.Answer != nil:
		return r.person(m)
	case m.Edit != nil:
		return r.world.edit(*m.Edit)
	case m.Full != 0:
		r.fill(m.Full)
		return nil
	case m.Jump != 0:
		r.world.jump(m.Jump)
		return nil
	case m.Signal != "":
		return r.turn(fsm.Input{At: r.world.wall(), Fact: fsm.Signalled{Name: m.Signal}})
	default:
		r.world.service(m)
		return nil
	}
}

// service changes how a service goes from now on.
func (w *world) service(m *Moment) {
	for _, change := range []struct{ is, to *Service }{
		{&w.embedding, m.Embedding}, {&w.storing, m.Storing}, {&w.recalling, m.Recalling},
		{&w.loading, m.Loading}, {&w.saving, m.Saving}, {&w.skilling, m.Skilling},
	} {
		if change.to != nil {
			*change.is = *change.to
		}
	}
}

// request sends a request as a client does that sends again what it has had no
// word about.
func (r *run) request(in fsm.Requested) error {
	r.sent = append(r.sent, in)
	return r.tell(Moment{Request: &in})
}

// cancel asks to end the last request with an id; without one, the last.
func (r *run) cancel(m *Moment) error {
	id := m.Cancel.ID
	for i := len(r.sent) - 1; i >= 0; i-- {
		if id == "" || r.sent[i].Request.ID == id {
			return r.tell(Moment{Request: &r.sent[i], Cancel: &Cancel{}})
		}
	}
	if !m.Optional {
		r.world.unexpected("a cancel of a request that nobody sent: " + id)
	}
	return nil
}

// configure changes the configuration of the running process, if there is one, and
// of those to come.
func (r *run) configure(c Configure) error {
	config := r.plan.declare(c.Config, c.Tools)
	r.config, r.world.config = config, &config
	return r.turn(fsm.Input{At: r.world.wall(), Fact: fsm.Configured{Config: config}})
}

// tell sends what a client sends until it has a word.
func (r *run) tell(m Moment) error {
	r.unheard = append(r.unheard, m)
	if r.engine == nil {
		return nil
	}
	return r.resend()
}

// resend sends what has had no word, in order. A word, be it a refusal, takes it
// off the list; a crash leaves it there.
func (r *run) resend() error {
	for len(r.unheard) > 0 && r.engine != nil {
		m, now := r.unheard[0], r.world.wall()
		var err error
		switch {
		case m.Event != nil:
			err = r.raise(fsm.Input{At: now, Fact: *m.Event})
		case m.Cancel != nil:
			err = r.engine.Turn(fsm.Input{At: now, Fact: fsm.CancelRequested{Request: m.Request.Request}})
		default:
			err = r.accept(now, *m.Request)
		}
		if err != nil && !refused(err) {
			return err
		}
		if err != nil {
			r.refuse(m, now)
		}
		r.unheard = r.unheard[1:]
		if err := r.afterTurn(); err != nil {
			return err
		}
	}
	return nil
}

// refuse notes that a client was told that there is too little space, in the words
// that all journals share.
func (r *run) refuse(m Moment, now fsm.Millis) {
	refusal := Refusal{At: now, Err: engine.ErrNoSpace}
	if m.Request != nil {
		refusal.Request = m.Request.Request
	}
	r.result.Refusals = append(r.result.Refusals, refusal)
}

// raise sends an event. Events have no ids, so one whose turn crashed is looked
// for in the journal before it is sent again.
func (r *run) raise(in fsm.Input) error {
	if durable := r.eventsInJournal(); durable > r.events {
		r.events = durable
		return nil
	}
	if err := r.engine.Turn(in); err != nil {
		return err
	}
	r.events++
	return nil
}

func (r *run) eventsInJournal() int {
	n := 0
	for _, s := range r.result.Steps {
		if _, ok := s.Input.Fact.(fsm.EventRaised); ok {
			n++
		}
	}
	return n
}

func (r *run) accept(now fsm.Millis, in fsm.Requested) error {
	if !slices.Contains(r.order, in.Request) {
		r.order = append(r.order, in.Request) // listed at the end only if it was accepted
	}
	a, err := r.engine.Accept(now, in)
	switch {
	case errors.Is(err, errCrash), errors.Is(err, engine.ErrDead), refused(err):
		return err
	case err != nil:
		r.result.Refusals = append(r.result.Refusals, Refusal{At: now, Request: in.Request, Err: err})
	case !a.New && a.Request.Done:
		r.result.Notices = append(r.result.Notices, Delivery{At: now, Request: in.Request, Text: a.Request.Reply})
	}
	return nil
}
