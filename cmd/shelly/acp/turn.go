package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"shelly/runtime/clock"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/acp"
	"shelly/runtime/front/rpc"
	"shelly/runtime/front/wire"
)

// againAfter is the pause before something that the editor has said is sent to the daemon
// again.
const againAfter = time.Second

func pause(ctx context.Context) error { return clock.Pause(ctx, againAfter) }

// turn is an unfinished request, and what the editor has said about it.
type turn struct {
	agent   *agent
	session string
	id      string      // of the request
	message string      // id of the message with its prompt; empty: there was none on this connection
	view    *acp.Turn   // used by one goroutine alone
	asked   *permission // the open question; used by the goroutine of view

	after <-chan struct{} // closed once the daemon has the session's request before this one
	has   func()          // signals that the daemon has this request, or never will

	mu        sync.Mutex
	ctx       context.Context // ends with the turn; nil: it has not begun
	accepted  bool            // the daemon has it for certain
	cancelled bool
}

// permission is a question that the editor was asked.
type permission struct {
	key  string
	stop context.CancelFunc // withdraws the question
	gone chan struct{}      // closed once it is answered or withdrawn

	mu       sync.Mutex
	decision *client.Decision // nil: there is none yet
}

// begin makes a turn known. The caller holds the agent's lock.
func (a *agent) begin(s *talk, id string) *turn {
	has := make(chan struct{})
	t := &turn{agent: a, session: s.id, id: id, view: acp.NewTurn(id, s.place), after: s.last, has: sync.OnceFunc(func() { close(has) })}
	s.turns[id], s.last = t, has
	return t
}

// over notes that a turn has ended.
func (a *agent) over(s *talk, t *turn) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(s.turns, t.id)
	t.has()
}

// prompt makes a prompt a durable request, follows it and answers why it ended (FRT-49).
func (a *agent) prompt(message string, params wire.Value) (rpc.Work, error) {
	id, err := sessionIn(params)
	if err != nil {
		return nil, err
	}
	s := a.sessions[id]
	if s == nil {
		return nil, rpc.Errorf(rpc.CodeUnknown, "the session %q is not open; load it first", id)
	}
	said, err := acp.Prompt(params.Member("prompt"), s.place)
	if err != nil {
		return nil, err
	}
	named := params.Member("_meta").Member(requestMeta)
	if named.Kind != wire.String && named.Kind != wire.Null {
		return nil, rpc.Errorf(rpc.CodeParams, "_meta.%s is %s; send a text", requestMeta, named.Kind)
	}
	request := client.AskRequest{ID: named.Text, Session: id, Channel: acp.Channel, Text: said.Text, Images: said.Images}
	if request.ID == "" {
		request.ID = a.newID()
	}
	if s.turns[request.ID] != nil {
		return nil, rpc.Errorf(rpc.CodeInvalid, "the request %q is already being followed", request.ID)
	}
	t := a.begin(s, request.ID)
	t.message = message
	return func(ctx context.Context) (rpc.Answer, error) {
		defer a.over(s, t)
		reply, err := t.follow(ctx, func(ctx context.Context) (client.Reply, error) {
			if t.waits(ctx) != nil {
				return client.Reply{}, ctx.Err()
			}
			return a.daemon.Ask(ctx, request, t.heard)
		})
		if err != nil {
			return rpc.Answer{}, t.lost(err)
		}
		reason, err := acp.Stop(reply)
		return rpc.Answer{Result: ended{reason, meta{requestMeta: t.id}}}, err
	}, nil
}

// attach follows a request that an editor asked for earlier (FRT-48).
func (a *agent) attach(ctx context.Context, s *talk, r comm.Record, tell bool) {
	a.mu.Lock()
	if s.turns[r.ID] != nil { // it is followed already
		a.mu.Unlock()
		return
	}
	t, place := a.begin(s, r.ID), s.place
	a.mu.Unlock()
	if tell {
		a.update(s.id, acp.Asked(r.ID, r.Text, a.images(ctx, r), place)...)
	}
	a.conn.Go(func() {
		defer a.over(s, t)
		reply, err := t.follow(ctx, func(ctx context.Context) (client.Reply, error) {
			return a.daemon.Attach(ctx, r.ID, acp.Channel, t.heard)
		})
		if err != nil {
			err = t.lost(err)
		}
		a.tellEnd(ctx, s.id, r.ID, reply, err)
	})
}

// tellEnd says how a request ended without an answer, for which no session/prompt of this editor says it.
func (a *agent) tellEnd(ctx context.Context, session, request string, reply client.Reply, err error) {
	reason := ""
	if err == nil {
		reason, err = acp.Stop(reply)
	}
	switch {
	case ctx.Err() != nil: // the editor has gone
	case err != nil:
		a.update(session, acp.Failed(request, err.Error()))
	case reason == acp.StopCancelled:
		a.update(session, acp.Unanswered(request))
	}
}

// follow follows the request to its reply (FRT-50), or until the editor has gone, which cancels
// nothing (FRT-56). The editor's open questions about it end with it.
func (t *turn) follow(ctx context.Context, ask func(context.Context) (client.Reply, error)) (client.Reply, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	t.ctx = ctx
	t.mu.Unlock()
	return ask(ctx)
}

// waits returns once the daemon has the session's previous request, so that requests are
// accepted in the order of the editor's lines.
func (t *turn) waits(ctx context.Context) error {
	if t.after == nil {
		return nil
	}
	select {
	case <-t.after:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lost words why there is no reply.
func (t *turn) lost(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !t.accepted:
		return worded(err)
	case errors.Is(err, client.ErrInterrupted), errors.Is(err, client.ErrDeferred), errors.Is(err, client.ErrNotRunning), errors.Is(err, client.ErrSilent):
		return rpc.Errorf(rpc.CodeInternal, "shelly has stopped. It keeps this request (%s) and continues it after its next start; load the session then", t.id)
	}
	return rpc.Errorf(rpc.CodeInternal, "request %s: %s", t.id, err)
}

// heard handles an event of the request, one at a time.
func (t *turn) heard(e comm.Event) {
	t.mu.Lock()
	first := !t.accepted
	t.accepted = true
	if first && t.cancelled {
		t.end()
	}
	t.mu.Unlock()
	t.has()
	h := t.view.Heard(e)
	if h.Closed && t.asked != nil {
		t.asked.stop()
		<-t.asked.gone // before anything else is sent
		t.asked = nil
	}
	t.agent.update(t.session, h.Updates...)
	if h.Ask != nil {
		t.ask(h.Ask)
	}
}

// cancel asks for the end of the request, at once or as soon as the daemon has it (FRT-55).
func (t *turn) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.cancelled && t.accepted {
		t.end()
	}
	t.cancelled = true
}

// end tells the daemon to end the request, and repeats that until it is received. The caller
// holds the lock.
func (t *turn) end() {
	ctx := t.ctx
	t.agent.conn.Go(func() {
		t.insist(ctx, func() error {
			_, err := t.agent.daemon.Cancel(ctx, t.id, acp.Channel)
			return err
		})
	})
}

// insist repeats tell until the daemon has received it or the turn is over. The error is a
// refusal.
func (t *turn) insist(ctx context.Context, tell func() error) error {
	for {
		err := tell()
		refused := (*client.Error)(nil)
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case errors.As(err, &refused) && refused.Code != comm.CodeBusy && refused.Code != comm.CodeStopping && refused.Code != comm.CodeUnknownOutcome:
			return err
		}
		if t.agent.pause(ctx) != nil {
			return nil
		}
	}
}

// ask asks the editor for a decision (FRT-52). A question that comes a second time was asked by
// a process that has gone: a decision made since then is sent again.
func (t *turn) ask(p *acp.Permission) {
	if t.asked != nil && t.asked.key == p.Key {
		asked := t.asked
		asked.mu.Lock()
		defer asked.mu.Unlock()
		if d := asked.decision; d != nil {
			t.agent.conn.Go(func() { t.decide(t.ctx, p, *d) })
		}
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	asked := &permission{key: p.Key, stop: stop, gone: make(chan struct{})}
	t.asked = asked
	t.agent.conn.Go(func() {
		answer, err := t.agent.conn.Ask(ctx, "session/request_permission", asking{t.session, p.Call, p.Options()})
		close(asked.gone)
		chosen, ok := acp.Chosen(answer)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && acp.Cancelled(answer):
			t.cancel()
			return
		case err != nil || !ok:
			t.agent.log.Info("the question stays open", "request", t.id, "error", cmp.Or(err, errNoOption))
			t.agent.update(t.session, acp.Elsewhere(t.id, p.Key))
			return
		}
		d := client.Decision{Key: p.Key, Approve: chosen.Approve, Grant: chosen.Grant}
		asked.mu.Lock()
		asked.decision = &d
		asked.mu.Unlock()
		t.decide(t.ctx, p, d)
	})
}

// errNoOption is what is wrong with the answer of an editor that chooses none of the options.
var errNoOption = errors.New("its answer is none of the options")

// decide sends a decision to the daemon.
func (t *turn) decide(ctx context.Context, p *acp.Permission, d client.Decision) {
	err := t.insist(ctx, func() error {
		_, err := t.agent.daemon.Decide(ctx, client.About{Handle: p.Handle}, d)
		return err
	})
	if err != nil {
		t.agent.log.Warn("the daemon refused a decision", "request", t.id, "error", err)
		t.agent.update(t.session, acp.Failed(fmt.Sprint(t.id, "-", p.Key), err.Error()), acp.Elsewhere(t.id, p.Key))
	}
}
