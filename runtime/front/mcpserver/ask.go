package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm"
)

// accept makes a request durable (FRT-31).
func (v visit) accept(ctx context.Context, a arguments) (engine.Request, error) {
	if strings.TrimSpace(a.Text) == "" {
		return engine.Request{}, &comm.Problem{Code: comm.CodeBadRequest, Message: `"text" is missing or empty`, Hint: "say what shelly should do"}
	}
	if err := comm.Named(&a.ID, v.key); err != nil {
		return engine.Request{}, err
	}
	accepted, err := v.front.Accept(ctx, comm.Request{
		Key:     fsm.RequestKey{Principal: v.caller.Name, Channel: Channel, ID: a.ID},
		Session: a.Session, Origin: fsm.Origin{Channel: Channel, Chat: "direct"}, Text: a.Text,
	})
	return accepted.Request, err
}

// ask gives the agent work and waits for the reply, for as long as clients commonly wait
// (FRT-32).
func (v visit) ask(ctx context.Context, r *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, error) {
	leave, err := v.place()
	if err != nil {
		return failed(err), nil
	}
	defer leave()
	known, err := v.accept(ctx, a)
	if err != nil {
		return failed(cmp.Or(v.revoked(), err)), nil
	}
	if v.calls.wait(v.call, known.Key) {
		v.end(ctx, known.Key)
	}
	waiting, cancel := v.waiting(ctx)
	defer cancel()
	within, late := context.WithTimeout(waiting, v.o.Wait)
	defer late()
	err = v.follow(within, known.Key, v.teller(ctx, r))
	if err := cmp.Or(v.revoked(), err); err != nil {
		return answer(kept(known.Key, err), nil, true), nil
	}
	res, err := v.shown(ctx, known.Key)
	if err != nil {
		return answer(kept(known.Key, err), nil, true), nil
	}
	return res, nil
}

// place takes one of the places for what waits for a reply.
func (f *Front) place() (leave func(), err error) {
	select {
	case f.waits <- struct{}{}:
		return func() { <-f.waits }, nil
	default:
		return nil, errors.New("too many calls wait for their answers; try again later")
	}
}

// kept is what is said if an accepted request cannot be followed or shown. It names the request, because
// the client may have no other way to find its answer.
func kept(key fsm.RequestKey, err error) string {
	return fmt.Sprintf("request %s is kept; call request with this id for the answer, after the next start if shelly stops: %v", key.ID, err)
}

// follow waits for a request's reply, or until ctx ends, and calls each with its events.
func (v visit) follow(ctx context.Context, key fsm.RequestKey, each func(comm.Event)) error {
	watch, cancel := context.WithCancel(ctx)
	defer cancel()
	events, err := v.front.Watch(watch, key)
	if err != nil {
		return err
	}
	for {
		select {
		case e, ok := <-events:
			if !ok || e.Type == comm.EventReply {
				return nil
			}
			each(e)
		case <-ctx.Done():
			return nil
		}
	}
}

// teller returns what sends a call's progress to its client, if the client asked for it.
func (v visit) teller(ctx context.Context, r *sdk.CallToolRequest) func(comm.Event) {
	token, n := r.Params.GetProgressToken(), 0.0
	return func(e comm.Event) {
		text := progress(e)
		if token == nil || text == "" {
			return
		}
		n++
		if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: text}); err != nil {
			v.o.Log.Debug("cannot send a client the progress of its call", "error", err)
		}
	}
}

// progress words an event; empty: it is not worth sending.
func progress(e comm.Event) string {
	switch e.Type {
	case comm.EventState:
		if e.Decision != nil {
			return e.Decision.Words()
		}
		return string(cmp.Or(e.Inference, e.State))
	case comm.EventQueued:
		return comm.QueuedWords(e.Ahead)
	case comm.EventWaiting:
		return e.Text
	case comm.EventTool:
		return "runs " + e.Tool
	case comm.EventQuestion, comm.EventHeld:
		return "waits for a person"
	}
	return ""
}

// shown returns a request's standing as a result: its reply once it is done.
func (v visit) shown(ctx context.Context, key fsm.RequestKey) (*sdk.CallToolResult, error) {
	r, ok, err := v.front.Request(ctx, key)
	if err == nil && !ok {
		err = unknown(key)
	}
	if err != nil {
		return nil, err
	}
	if r.Done {
		return replied(r), nil
	}
	s, err := v.standing(ctx, r)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("shelly works on it as request %s (%s). Call request with this id for the answer, or cancel to end it.", s.ID, cmp.Or(string(s.Phase), s.State))
	if s.Asks != nil {
		text = fmt.Sprintf("Request %s waits for a person: %s %s", s.ID, question(s.Asks), v.next(key, s.Asks))
	}
	return answer(text, s, false), nil
}

// next says how a question is answered: by this client if it may, or else in shelly.
func (v visit) next(key fsm.RequestKey, a *comm.Ask) string {
	switch {
	case a.Question != fsm.QuestionApprove: // the question says it
		return "Once it is answered, call request with this id for the answer."
	case !v.caller.May(access.Decide):
		return "Your token may not answer this. A person can, with: shelly request approve " + wording.ShellArgument(key.ID, "--channel", key.Channel) +
			". Then call request with this id for the answer."
	}
	return "Call approve or deny with this id, then request for the answer."
}

// replied is the reply to a request.
func replied(r engine.Request) *sdk.CallToolResult {
	s := standing{ID: r.Key.ID, Channel: r.Key.Channel, State: comm.RecordDone, Reply: r.Reply, Outcome: r.Outcome}
	if r.IsError {
		s.State = comm.RecordFailed
	}
	text := r.Reply
	if r.Forgotten {
		text = "The session of this request was forgotten, and its answer with it."
	}
	return answer(text, s, r.IsError)
}

// standing returns the standing of an unfinished request.
func (v visit) standing(ctx context.Context, r engine.Request) (standing, error) {
	s := standing{ID: r.Key.ID, Channel: r.Key.Channel, State: comm.RecordAccepted, Text: r.Text}
	all, err := v.front.Standings(ctx)
	if err != nil {
		return s, err
	}
	for _, h := range all {
		if h.Request == r.Key {
			s.Phase, s.Asks = h.Phase, h.Asks
		}
	}
	return s, nil
}

// question words a question to a person (APR-22).
func question(a *comm.Ask) string {
	text := fmt.Sprintf("may %s run with %s?", a.Tool, wording.Part(wording.Visible(a.Args), 500))
	if a.Question == fsm.QuestionUnknown {
		text = fmt.Sprintf("what became of %s with %s? (shelly request resolve answers this.)", a.Tool, wording.Part(wording.Visible(a.Args), 500))
	}
	if a.Text != "" {
		text += " " + wording.Clip(wording.Visible(a.Text), 500)
	}
	return text
}

// keyOf returns the key of the request that the arguments name.
func (v visit) keyOf(a arguments) fsm.RequestKey {
	return fsm.RequestKey{Principal: v.caller.Name, Channel: cmp.Or(a.Channel, Channel), ID: a.ID}
}

func (v visit) request(ctx context.Context, _ *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, error) {
	res, err := v.shown(ctx, v.keyOf(a))
	if err != nil {
		return failed(err), nil
	}
	return res, nil
}

// requests lists the caller's unfinished requests.
func (v visit) requests(ctx context.Context, _ *sdk.CallToolRequest, _ arguments) (*sdk.CallToolResult, error) {
	all, err := v.front.Standings(ctx)
	if err != nil {
		return failed(err), nil
	}
	list, lines := []standing{}, []string{}
	for _, h := range all {
		if h.Request.ID == "" || h.Request.Principal != v.caller.Name {
			continue
		}
		list = append(list, standing{ID: h.Request.ID, Channel: h.Request.Channel, State: comm.RecordAccepted, Phase: h.Phase, Asks: h.Asks})
		line := fmt.Sprintf("%s (%s): %s", h.Request.ID, h.Request.Channel, h.Phase)
		if h.Asks != nil {
			line += "; a person is asked: " + question(h.Asks)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = append(lines, "No request is unfinished.")
	}
	return answer(strings.Join(lines, "\n"), map[string]any{"requests": list}, false), nil
}

func (v visit) cancel(ctx context.Context, _ *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, error) {
	taken, err := v.front.Cancel(ctx, v.keyOf(a))
	switch {
	case err != nil:
		return failed(err), nil
	case !taken:
		return v.untaken(ctx, v.keyOf(a), "Nothing has changed: the request is done."), nil
	}
	return answer("The request is being ended; its reply says what was done.", map[string]any{"taken": true}, false), nil
}

// untaken says why nothing was done about a request.
func (v visit) untaken(ctx context.Context, key fsm.RequestKey, text string) *sdk.CallToolResult {
	if _, ok, err := v.front.Request(ctx, key); err == nil && !ok {
		return failed(unknown(key))
	}
	return answer(text, map[string]any{"taken": false}, false)
}

func unknown(key fsm.RequestKey) error {
	return &comm.Problem{
		Code: comm.CodeNotFound, Message: fmt.Sprintf("there is no request %s in channel %s", wording.Quote(key.ID), wording.Quote(key.Channel)),
		Hint: "name its channel if it came another way; requests lists your unfinished requests",
	}
}

// decide answers a question to a person about a request (FRT-34).
func (v visit) decide(approve bool) func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, error) {
	return func(ctx context.Context, _ *sdk.CallToolRequest, a arguments) (*sdk.CallToolResult, error) {
		scope, err := comm.Scope(a.Grant, approve)
		if err != nil {
			return failed(err), nil
		}
		taken, err := v.decided(ctx, v.keyOf(a), fsm.Decided{Key: a.Key, Approve: approve, Grant: scope, Reason: a.Reason})
		switch {
		case err != nil:
			return failed(err), nil
		case !taken:
			return v.untaken(ctx, v.keyOf(a), "Nothing has changed: the request is not waiting for this decision."), nil
		case approve:
			return answer("Approved.", map[string]any{"taken": true}, false), nil
		}
		return answer("Denied.", map[string]any{"taken": true}, false), nil
	}
}

// decided passes on a decision about the tool call for which a request is waiting; its key may be
// left out.
func (v visit) decided(ctx context.Context, request fsm.RequestKey, d fsm.Decided) (bool, error) {
	if !v.caller.May(access.Decide) {
		return false, v.caller.Lacks(access.Decide)
	}
	d, err := comm.Reasoned(d)
	if err != nil {
		return false, err
	}
	s, err := v.standing(ctx, engine.Request{Key: request})
	if err != nil || s.Asks == nil || s.Asks.Question != fsm.QuestionApprove || d.Key != "" && d.Key != s.Asks.Key {
		return false, err
	}
	d.Handle, d.Key = s.Asks.Handle, s.Asks.Key
	return v.front.Decide(ctx, d)
}
