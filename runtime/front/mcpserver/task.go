package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/mcp/wire"
)

// pollEvery is how often clients should ask for a task.
const pollEvery = time.Second

// taskKey returns the key of a task's request, which has the task's id (FRT-33).
func (v visit) taskKey(id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: v.caller.Name, Channel: Channel, ID: id}
}

func unknownTask(id string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no task " + wording.Quote(id) + "; the tool requests lists your unfinished requests"}
}

// coded is an error of the daemon, which the caller has caused or not. Without a code of the protocol the
// library would send 0.
func coded(err error) error {
	code := int64(jsonrpc.CodeInternalError)
	switch comm.ProblemOf(err).Code {
	case comm.CodeBadRequest, comm.CodeConflict, comm.CodeTooLarge:
		code = jsonrpc.CodeInvalidParams
	case comm.CodeForbidden:
		code = jsonrpc.CodeInvalidRequest
	}
	return &jsonrpc.Error{Code: code, Message: sentence(err)}
}

// begin accepts a request as a task.
func (v visit) begin(ctx context.Context, _ *sdk.ServerSession, p *sdk.CallToolParamsRaw, extended bool) (wire.Outcome, error) {
	ctx = v.as(ctx)
	if p.Name != ToolAsk {
		return wire.Outcome{}, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: p.Name + " cannot run as a task"}
	}
	a, err := read(p.Arguments, ofAsk)
	if err != nil {
		return wire.Outcome{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	known, err := v.accept(ctx, a)
	if err != nil {
		if extended {
			return wire.Outcome{Result: failed(err)}, nil
		}
		return wire.Outcome{}, coded(err)
	}
	at := time.UnixMilli(int64(known.Accepted))
	return wire.Outcome{Task: &wire.Task{ID: known.Key.ID, Status: wire.Working, Poll: pollEvery, Created: at, Updated: at}}, nil
}

// stands returns a task's status, from its request's record.
func (v visit) stands(ctx context.Context, id string, may wire.Abilities) (wire.Task, error) {
	ctx = v.as(ctx)
	r, ok, err := v.front.Request(ctx, v.taskKey(id))
	if err != nil {
		return wire.Task{}, coded(err)
	}
	if !ok {
		return wire.Task{}, unknownTask(id)
	}
	at := time.UnixMilli(int64(r.Accepted))
	t := wire.Task{ID: id, Status: wire.Working, Poll: pollEvery, Created: at, Updated: at}
	if r.Done {
		t.Status, t.Updated = wire.Completed, time.UnixMilli(int64(r.Replied))
		if r.Outcome == fsm.OutcomeCancelled {
			t.Status, t.Message = wire.Cancelled, r.Reply
			return t, nil
		}
		t.Result, err = json.Marshal(replied(r))
		return t, err
	}
	s, err := v.standing(ctx, r)
	if err != nil {
		return wire.Task{}, coded(err)
	}
	t.Message = string(s.Phase)
	if s.Asks == nil {
		return t, nil
	}
	t.Message = "waits for a person: " + question(s.Asks)
	if may.Elicits && v.caller.May(access.Decide) && s.Asks.Question == fsm.QuestionApprove {
		params, err := json.Marshal(&sdk.ElicitParams{Mode: "form", Message: "shelly asks: " + question(s.Asks), RequestedSchema: json.RawMessage(form)})
		if err != nil {
			return wire.Task{}, err
		}
		t.Status, t.Asks = wire.InputRequired, map[string]wire.Ask{deciding + s.Asks.Key: {Method: "elicitation/create", Params: params}}
	}
	return t, nil
}

// deciding is the prefix of a question's name; the key of the call follows.
const deciding = "decide-"

// answerShownMax is how many bytes of the name of an answer an error shows.
const answerShownMax = 100

// form is the schema of a decision.
const form = `{"type":"object","properties":{"approve":{"type":"boolean","title":"Let it run","default":true},` +
	`"reason":{"type":"string","title":"If not: why, or what to do instead","maxLength":2000}}}`

// update takes a person's answers (FRT-35). A dismissed question stays open.
func (v visit) update(ctx context.Context, id string, answers map[string]json.RawMessage) error {
	ctx = v.as(ctx)
	switch _, ok, err := v.front.Request(ctx, v.taskKey(id)); {
	case err != nil:
		return coded(err)
	case !ok:
		return unknownTask(id)
	}
	var decisions []fsm.Decided
	for name, answer := range answers { // order-free: each names its own call
		call, ok := strings.CutPrefix(name, deciding)
		if !ok {
			continue
		}
		d, decides, err := said(call, answer)
		if err == nil {
			d, err = comm.Reasoned(d)
		}
		if err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the answer to " + wording.Clip(name, answerShownMax) + ": " + sentence(err)}
		}
		if decides {
			decisions = append(decisions, d)
		}
	}
	for _, d := range decisions {
		if _, err := v.decided(ctx, v.taskKey(id), d); err != nil {
			return coded(err)
		}
	}
	return nil
}

// result waits for the reply to a task's request, for as long as the client waits. Waiting takes a
// place like a call of ask (FRT-32).
func (v visit) result(ctx context.Context, _ *sdk.ServerSession, id string) (*sdk.CallToolResult, error) {
	ctx, cancel := v.waiting(v.as(ctx))
	defer cancel()
	for placed := false; ; {
		r, ok, err := v.front.Request(ctx, v.taskKey(id))
		switch {
		case err != nil:
			return nil, coded(err)
		case !ok:
			return nil, unknownTask(id)
		case r.Done:
			return replied(r), nil
		}
		if !placed {
			leave, err := v.place()
			if err != nil {
				return nil, coded(err)
			}
			defer leave()
			placed = true
		}
		err = v.follow(ctx, r.Key, func(comm.Event) {})
		if err == nil && ctx.Err() != nil {
			err = cmp.Or(v.revoked(), ctx.Err())
		}
		if err != nil {
			return nil, coded(errors.New(kept(r.Key, err)))
		}
	}
}

// cancelTask asks to end a task's request.
func (v visit) cancelTask(ctx context.Context, id string) (wire.Task, error) {
	ctx = v.as(ctx)
	was, err := v.stands(ctx, id, wire.Abilities{})
	if err != nil {
		return was, err
	}
	if was.Status.Ended() {
		return was, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the task has ended; its result is kept"}
	}
	if _, err := v.front.Cancel(ctx, v.taskKey(id)); err != nil {
		return was, coded(err)
	}
	now, err := v.stands(ctx, id, wire.Abilities{})
	if err == nil && !now.Status.Ended() {
		now.Status = wire.Cancelled // its reply says what it had done
	}
	return now, err
}
