package sim

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// moment plays one entry of the timeline.
func (r *run) moment(m *Moment) error {
	switch {
	case m.Boot && r.driver == nil:
		return r.start()
	case m.Boot:
		if !m.Optional && len(r.result.Crashes) == 0 {
			r.unexpected(m, "a start, but the process has not stopped yet")
		}
		return nil
	case m.Request != nil:
		return r.request(*m.Request)
	case m.Again && len(r.sent) > 0:
		return r.request(r.sent[len(r.sent)-1])
	case m.Event != nil:
		return r.tell(Moment{Event: m.Event})
	case m.Cancel != nil:
		return r.cancel(m)
	case m.Configure != nil:
		return r.configure(m)
	case m.Answer != nil:
		return r.person(m)
	case m.Revoke != nil:
		return r.revoke(m)
	case m.Schedule != nil:
		return r.schedule(m)
	case m.Typing != nil:
		return r.typing(m)
	case m.Grants != nil:
		r.grants = *m.Grants
		return nil
	case m.Edit != nil:
		return r.world.edit(*m.Edit)
	case m.Full != 0:
		r.fill(m.Full)
		return nil
	case m.Jump != 0:
		r.world.jump(m.Jump)
		return nil
	case m.Speeds != nil:
		r.world.server.Go(m.Speeds.Reads, m.Speeds.Writes)
		return nil
	case m.Signal != "" && r.driver != nil:
		return r.told(r.driver.Tell(r.now(), fsm.Signalled{Name: m.Signal}))
	case m.Signal != "":
		return nil
	default:
		r.world.service(m)
		return nil
	}
}

// service changes how a service behaves from now on.
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

// request sends a request like a client that sends it again until it has had an answer.
func (r *run) request(in fsm.Requested) error {
	r.sent = append(r.sent, in)
	return r.tell(Moment{Request: &in})
}

// cancel asks to end the last request with the given id, or the last request if no id is given.
func (r *run) cancel(m *Moment) error {
	id := m.Cancel.ID
	for i := len(r.sent) - 1; i >= 0; i-- {
		if id == "" || r.sent[i].Request.ID == id {
			return r.tell(Moment{Request: &r.sent[i], Cancel: &Cancel{}})
		}
	}
	if handle, is := strings.CutPrefix(id, "h"); is { // work that is not a request
		if n, err := strconv.ParseUint(handle, 10, 64); err == nil {
			return r.tell(Moment{Cancel: &Cancel{Handle: fsm.HandleID(n)}})
		}
	}
	if !m.Optional {
		what := "a cancel, but there was no request"
		if id != "" {
			what += " " + id
		}
		r.unexpected(m, what)
	}
	return nil
}

// configure changes the configuration of the running process, if there is one, and of
// later ones.
func (r *run) configure(m *Moment) error {
	config := r.plan.Reconfigured(m.Configure)
	config.Grants = slices.Clone(r.grants)
	r.config, r.world.config = config, &config
	if r.driver == nil {
		return nil
	}
	return r.word(m, r.driver.Configure(r.now(), config))
}

// word handles the outcome of what a person or an operator said. Below the reserve it is
// refused, and they say it again when there is space.
func (r *run) word(m *Moment, err error) error {
	if engine.Refused(err) {
		r.world.agenda.add(due{at: r.full, entry: m})
		return nil
	}
	return r.told(err)
}

// tell sends what a client repeats until it has an answer.
func (r *run) tell(m Moment) error {
	r.unheard = append(r.unheard, m)
	if r.driver == nil {
		return nil
	}
	return r.resend()
}

// resend sends everything that has had no answer, in order. An answer, even a refusal,
// removes it from the list; a crash leaves it there.
func (r *run) resend() error {
	for len(r.unheard) > 0 && r.driver != nil {
		m := r.unheard[0]
		var err error
		switch {
		case m.Event != nil:
			err = r.raise(*m.Event)
		case m.Cancel != nil && m.Cancel.Handle != 0:
			_, err = r.driver.Cancel(r.now(), fsm.CancelRequested{Handle: m.Cancel.Handle})
		case m.Cancel != nil:
			_, err = r.driver.Cancel(r.now(), fsm.CancelRequested{Request: m.Request.Request})
		default:
			err = r.accept(*m.Request)
		}
		if errors.Is(err, errCrash) || errors.Is(err, engine.ErrDead) {
			return err
		}
		if err != nil {
			r.refuse(m, err)
		}
		r.unheard = r.unheard[1:]
		if err := r.told(nil); err != nil {
			return err
		}
	}
	return nil
}

// refuse records what a client that was not admitted was told. For too little space all
// journals have the same words.
func (r *run) refuse(m Moment, err error) {
	if engine.Refused(err) {
		err = engine.ErrNoSpace
	}
	refusal := Refusal{Err: err}
	if m.Request != nil {
		refusal.Request = m.Request.Request
	}
	r.result.Refusals = append(r.result.Refusals, refusal)
}

// raise sends an event. Events have no ids, so if the process died in the turn of one,
// it is looked for in the journal before it is sent again.
func (r *run) raise(in fsm.EventRaised) error {
	if r.raised > r.events {
		r.events = r.raised
		return nil
	}
	if err := r.driver.Raise(r.now(), in); err != nil {
		return err
	}
	r.events++
	return nil
}

func (r *run) accept(in fsm.Requested) error {
	if !slices.Contains(r.order, in.Request) {
		r.order = append(r.order, in.Request) // listed at the end only if it was accepted
	}
	a, err := r.driver.Accept(r.now(), in)
	if err == nil && !a.New && a.Request.Done {
		r.result.Notices = append(r.result.Notices, Delivery{Request: in.Request, Text: a.Request.Reply})
	}
	return err
}
