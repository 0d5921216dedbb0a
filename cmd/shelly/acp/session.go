package acp

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
	"shelly/runtime/session"
)

// own is the prefix of the sessions that are begun in an editor.
const own = "acp-"

const (
	pageMax  = 50 // sessions in one answer, and messages in one read
	goingMax = 50 // requests of a session among which the unfinished ones are looked for
)

// create begins a session (FRT-47). The daemon keeps nothing of it before the first prompt.
func (a *agent) create(params wire.Value) rpc.Work {
	return func(ctx context.Context) (rpc.Answer, error) {
		place, err := a.place(ctx, params)
		if err != nil {
			return rpc.Answer{}, err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		s, err := a.open(own+a.newID(), place)
		if err != nil {
			return rpc.Answer{}, err
		}
		return rpc.Answer{Result: created{s.id}, Then: func() {
			a.update(s.id, acp.Commands())
			a.opened(ctx, s.id)
		}}, nil
	}
}

// sessionIn returns the session that parameters name.
func sessionIn(params wire.Value) (id string, err error) {
	v := params.Member("sessionId")
	switch {
	case v.Kind != wire.String && v.Kind != wire.Null:
		return "", rpc.Errorf(rpc.CodeParams, "sessionId is %s; send a text", v.Kind)
	case v.Text == "":
		return "", rpc.Errorf(rpc.CodeParams, "sessionId is missing; session/new and session/list give one")
	}
	return v.Text, nil
}

// load opens a session again and, if tell is set, sends what was said in it. What is still
// running follows after the answer (FRT-48).
func (a *agent) load(params wire.Value, tell bool) (rpc.Work, error) {
	id, err := sessionIn(params)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (rpc.Answer, error) {
		place, err := a.place(ctx, params)
		if err != nil {
			return rpc.Answer{}, err
		}
		asked, err := a.requests(ctx, id) // before the archive is read, which then has what ends in between
		if err != nil {
			return rpc.Answer{}, worded(err)
		}
		place.Before = record(sync.OnceValues(a.changed(id))).before // read once for all that was done
		told, err := a.past(ctx, acp.Past{Session: id, Place: place}, tell)
		if known := strings.HasPrefix(id, own) || len(asked) > 0; errors.Is(err, client.ErrNotFound) && !known {
			return rpc.Answer{}, rpc.Errorf(rpc.CodeUnknown, "there is no session %q", id)
		} else if err != nil && !errors.Is(err, client.ErrNotFound) {
			return rpc.Answer{}, worded(err)
		}
		late, going := beyond(asked, told)
		for _, r := range late {
			if tell {
				a.retell(ctx, id, place, r)
			}
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		s, err := a.open(id, place)
		if err != nil {
			return rpc.Answer{}, err
		}
		return rpc.Answer{Result: struct{}{}, Then: func() {
			a.update(id, acp.Commands())
			for _, r := range going {
				a.attach(ctx, s, r, tell)
			}
			a.opened(ctx, id)
		}}, nil
	}, nil
}

// opened tells the daemon that a person will soon write in a session (COM-111). The prompt comes
// whether or not it is told.
func (a *agent) opened(ctx context.Context, id string) {
	a.conn.Go(func() {
		_, _ = a.daemon.Typing(ctx, client.AskRequest{Session: id, Channel: acp.Channel})
	})
}

// requests returns the latest requests of a session that came from an editor, in the order of
// their acceptance.
func (a *agent) requests(ctx context.Context, id string) ([]comm.Record, error) {
	body, err := a.daemon.Requests(ctx, comm.Wanted{Session: id, Before: math.MaxUint64, Limit: goingMax, Client: comm.Principal})
	if err != nil {
		return nil, err
	}
	return ofEditors(body.Requests), nil
}

// ofEditors keeps the requests that came from an editor, in the order of their acceptance.
func ofEditors(latestFirst []comm.Record) []comm.Record {
	list := slices.DeleteFunc(latestFirst, func(r comm.Record) bool { return r.Channel != acp.Channel || r.Kind != "" && r.Kind != fsm.KindUser })
	slices.Reverse(list)
	return list
}

// asked is the requests of a session, as they are read while its past is told.
type asked struct {
	agent   *agent
	session string
	read    []comm.Record // the latest
	before  uint64        // of the next question; 0: all are read
}

// imageMark begins a message of the archive in the place of each of its images (SES-13).
const imageMark = "[image]"

// illustrate gives a message its images in place of their marks, if its request is known by its turn
// and still has them.
func (l *asked) illustrate(ctx context.Context, m session.Archived) session.Archived {
	if m.Message.Role != fsm.RoleUser || len(m.Message.Images) > 0 || !strings.HasPrefix(m.Message.Text, imageMark) {
		return m
	}
	for at := 0; ; at++ {
		for at == len(l.read) {
			if !l.more(ctx) {
				return m
			}
		}
		if r := l.read[at]; r.Handle.Entry() == m.Turn {
			if images := l.agent.images(ctx, r); len(images) > 0 {
				m.Message.Text, m.Message.Images = r.Text, images
			}
			return m
		}
	}
}

// more reads further requests, of which there may be none in an answer; false: all were read.
func (l *asked) more(ctx context.Context) bool {
	if l.before == 0 {
		return false
	}
	body, err := l.agent.daemon.Requests(ctx, comm.Wanted{Session: l.session, Before: l.before, Limit: engine.ReadMax, Client: comm.Principal})
	if err != nil {
		l.agent.log.Warn("images of the past are not shown", "session", l.session, "error", err)
	}
	l.before, l.read = body.Next, append(l.read, body.Requests...)
	return true
}

// images returns the images of a request, as far as they are known.
func (a *agent) images(ctx context.Context, r comm.Record) [][]byte {
	images, err := a.daemon.Images(ctx, r)
	if err != nil {
		a.log.Info("the images of a request are not shown", "request", r.ID, "error", err)
	}
	return images
}

// beyond returns the requests that the archive does not have: those finished since its last
// turn, because they are still being archived or have failed, and the unfinished ones.
func beyond(asked []comm.Record, told map[string]bool) (late, going []comm.Record) {
	for _, r := range asked {
		switch {
		case told[r.Handle.Entry()]:
			late = nil
		case r.Done:
			late = append(late, r)
		default:
			going = append(going, r)
		}
	}
	return late, going
}

// retell sends a request that is done.
func (a *agent) retell(ctx context.Context, session string, place acp.Place, r comm.Record) {
	a.update(session, acp.Asked(r.ID, r.Text, a.images(ctx, r), place)...)
	view := acp.NewTurn(r.ID, place)
	reply, err := a.daemon.Attach(ctx, r.ID, acp.Channel, func(e comm.Event) { a.update(session, view.Heard(e).Updates...) })
	a.tellEnd(ctx, session, r.ID, reply, err)
}

// past reads what was said in a session, sends it if tell is set, and returns the turns that it
// holds.
func (a *agent) past(ctx context.Context, p acp.Past, tell bool) (turns map[string]bool, err error) {
	turns = map[string]bool{}
	asked := asked{agent: a, session: p.Session, before: math.MaxUint64}
	for after := uint64(0); ; {
		page, err := a.daemon.Archive(ctx, p.Session, after, pageMax)
		if err != nil {
			return turns, err
		}
		for _, m := range page {
			turns[m.Turn] = true
			if after = m.Number; tell {
				a.update(p.Session, p.Heard(asked.illustrate(ctx, m))...)
			}
		}
		if len(page) == 0 {
			break
		}
	}
	if tell {
		a.update(p.Session, p.End()...)
	}
	return turns, nil
}

// close cancels what runs in a session, so far as this editor has asked for it.
func (a *agent) close(params wire.Value) (rpc.Work, error) {
	id, err := sessionIn(params)
	if err != nil {
		return nil, err
	}
	s := a.sessions[id]
	if s == nil {
		return nil, rpc.Errorf(rpc.CodeUnknown, "the session %q is not open", id)
	}
	s.cancel()
	delete(a.sessions, id)
	return done(struct{}{}), nil
}

// remove has a session forgotten for good (FRT-57, SES-25). What runs in it would be kept as its new beginning, so
// that has to end first.
func (a *agent) remove(params wire.Value) (rpc.Work, error) {
	id, err := sessionIn(params)
	if err != nil {
		return nil, err
	}
	switch s := a.sessions[id]; {
	case !strings.HasPrefix(id, own):
		return nil, rpc.Errorf(rpc.CodeParams, "the session %q was not begun in an editor; it is forgotten with shelly session forget", id)
	case s != nil && len(s.turns) > 0:
		return nil, rpc.Errorf(rpc.CodeInvalid, "a prompt of the session %q is still being answered; cancel it or wait for its end, and delete the session again", id)
	}
	delete(a.sessions, id)
	return func(ctx context.Context) (rpc.Answer, error) {
		if _, err := a.daemon.ForgetSession(ctx, id); err != nil && !errors.Is(err, client.ErrNotFound) {
			return rpc.Answer{}, worded(err)
		}
		return rpc.Answer{Result: struct{}{}}, nil
	}, nil
}

// cancel cancels all that runs in a session. The caller holds the agent's lock.
func (s *talk) cancel() {
	for _, t := range s.turns { // order-free: each is asked to end
		t.cancel()
	}
}
