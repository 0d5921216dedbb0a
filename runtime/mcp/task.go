package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/tool"
)

// errTask means that a task ended without a result.
var errTask = errors.New("its task has no result")

// lookMost bounds the polling interval that a server may ask for.
const lookMost = 30 * time.Second

// follow waits for the result of a task, across as many sessions as it takes (TOL-98). If the
// task is given up, its server is asked to end it.
func (c *calling) follow(ctx context.Context, id string) (*sdk.CallToolResult, error) {
	t := &following{calling: c, id: id, given: map[string]json.RawMessage{}, sent: map[string]bool{}}
	t.use(c.n)
	res, err := t.follow(ctx)
	if t.stuck || ctx.Err() != nil && !ends(ctx) {
		go t.giveUp(ctx)
	}
	return res, err
}

// following is a task that is waited for.
type following struct {
	*calling
	id   string
	n    *session    // the last one
	last chan answer // of capacity 1: the result; nil: it was not asked for

	given map[string]json.RawMessage // the answers to its asks
	sent  map[string]bool            // the answers that the server has
	stuck bool                       // it asks for what it does not get
}

// asksMax bounds what a task may ask for.
const asksMax = 100

func (t *following) follow(ctx context.Context) (*sdk.CallToolResult, error) {
	for {
		n, err := t.s.ready(ctx)
		if err != nil {
			return nil, err
		}
		t.use(n)
		task, err := t.look(ctx)
		var refused *jsonrpc.Error
		var unusable *wire.Unusable
		switch {
		case errors.As(err, &refused):
			return nil, fmt.Errorf("%w: it says %q", errTask, refused.Message)
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil:
			res, over, err := t.take(ctx, task)
			if over && (err == nil || ctx.Err() != nil || errors.As(err, &refused) || errors.As(err, &unusable) || errors.Is(err, errTask)) {
				return res, err
			}
			if over { // the connection is lost
				t.last = nil
			}
		}
		wait := min(max(task.Poll, t.s.options.pace.looks), lookMost)
		if task.Poll == 0 {
			wait = t.s.options.pace.task
		}
		if err := clock.Pause(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// use makes n the session on which the task's questions arrive.
func (t *following) use(n *session) {
	if t.n == n {
		return
	}
	t.last = nil // it was of a connection that is gone
	t.n = n
	n.mu.Lock()
	t.f.task = t.id
	n.mu.Unlock()
	if n != t.calling.n {
		t.on(n)
	}
}

// look asks for the task's status. If the server does not answer, the connection counts as lost.
func (t *following) look(ctx context.Context) (wire.Task, error) {
	lasts, done := t.n.during(ctx)
	defer done()
	within, cancel := context.WithTimeout(lasts, t.s.options.pace.connect)
	defer cancel()
	task, err := t.n.tasks.Get(within, t.n.client, t.id)
	if err == nil {
		select {
		case t.alive <- struct{}{}:
		default:
		}
	}
	t.s.noticed(t.n, err)
	if within.Err() != nil && lasts.Err() == nil {
		t.s.lost(t.n, errors.New("it does not report the status of its task"))
	}
	return task, err
}

// take takes the task's status, and reports whether the task is over.
func (t *following) take(ctx context.Context, task wire.Task) (res *sdk.CallToolResult, over bool, err error) {
	if !wire.Extended(t.n.client) {
		return t.takeOlder(ctx, task)
	}
	switch task.Status {
	case wire.InputRequired:
		err := t.answer(ctx, task.Asks)
		_, t.stuck = errors.AsType[*wire.Unusable](err)
		return nil, t.stuck, err
	case wire.Completed, wire.Failed, wire.Cancelled:
		res, err := t.n.resultOf(ctx, task)
		return res, true, err
	}
	return nil, false, nil
}

// answer answers a task's new asks. Answers that the server may not have got are sent again.
func (t *following) answer(ctx context.Context, asks map[string]wire.Ask) error {
	open := map[string]wire.Ask{}
	for key, ask := range asks { // order-free: they are answered in order
		if _, known := t.given[key]; !known {
			open[key] = ask
		}
	}
	if len(t.given)+len(open) > asksMax {
		return &wire.Unusable{Err: fmt.Errorf("its task asks for more than %d things", asksMax)}
	}
	answers, err := t.respond(ctx, t.n, open)
	if err != nil {
		return err
	}
	maps.Copy(t.given, answers)
	send := map[string]json.RawMessage{}
	for key := range asks { // order-free: a set
		if !t.sent[key] {
			send[key] = t.given[key]
		}
	}
	if len(send) == 0 {
		return nil
	}
	lasts, done := t.n.during(ctx)
	defer done()
	if err := t.n.tasks.Update(lasts, t.n.client, t.id, send); err != nil {
		return err
	}
	for key := range send { // order-free: a set
		t.sent[key] = true
	}
	return nil
}

// takeOlder is take for 2025-11-25. There the result is asked for as soon as the task has ended
// or has a question, which then arrives like any other; polling continues until the result comes.
func (t *following) takeOlder(ctx context.Context, task wire.Task) (res *sdk.CallToolResult, over bool, err error) {
	if t.last == nil && task.Status == wire.InputRequired {
		last, n := make(chan answer, 1), t.n
		t.last = last
		go func() {
			ctx, done := n.during(ctx)
			defer done()
			res, err := n.tasks.Result(ctx, n.client, t.id)
			last <- answer{res, err}
		}()
	}
	if !task.Status.Ended() {
		return nil, false, nil
	}
	if t.last == nil {
		res, err := t.n.resultOf(ctx, task)
		return res, true, err
	}
	select {
	case a := <-t.last:
		return a.res, true, a.err
	case <-ctx.Done():
		return nil, true, ctx.Err()
	}
}

// resultOf returns the result of a task that has ended.
func (n *session) resultOf(ctx context.Context, task wire.Task) (*sdk.CallToolResult, error) {
	ctx, done := n.during(ctx)
	defer done()
	switch {
	case task.Status == wire.Cancelled:
	case !wire.Extended(n.client):
		return n.tasks.Result(ctx, n.client, task.ID)
	case task.Status == wire.Completed:
		res, err := wire.Result(task.Result)
		if err != nil {
			return nil, fmt.Errorf("%w: it cannot be read: %w", errTask, err)
		}
		return res, nil
	case task.Error != nil:
		return nil, task.Error
	}
	return nil, fmt.Errorf("%w: it is %s %s", errTask, task.Status, task.Message)
}

// giveUp asks the server to end a task that nobody waits for any more.
func (t *following) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.s.options.pace.grace)
	defer cancel()
	if err := t.n.tasks.Cancel(ctx, t.n.client, t.id); err != nil {
		t.s.options.Log.Info("a task that was given up may still run at its server", "server", t.s.config.Name, "error", err)
	}
}

// forsake asks the server to end the task of a call that an earlier process began, and that nobody has
// approved.
func (s *server) forsake(key string) {
	note, found, err := s.options.notes.Get(key)
	if err != nil || !found || note.Ended || note.Task == "" || note.Server != s.config.Name {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.pace.connect)
	defer cancel()
	n, err := s.ready(ctx)
	if err == nil {
		note.Ended = true
		lasts, done := n.during(ctx)
		defer done()
		err = errors.Join(n.tasks.Cancel(lasts, n.client, note.Task), s.options.notes.Put(note))
	}
	if err != nil {
		s.options.Log.Info("a task that nobody has approved may still run at its server", "server", s.config.Name, "error", err)
	}
}

// ready waits until the server is up.
func (s *server) ready(ctx context.Context) (*session, error) {
	wait := time.NewTicker(s.options.pace.looks)
	defer wait.Stop()
	for {
		n, err := s.current()
		if err == nil {
			return n, nil
		}
		select {
		case <-wait.C:
		case <-s.done:
			return nil, errors.New("it is no longer used")
		case <-ctx.Done():
			return nil, err
		}
	}
}

// probe finds out what came of a call with an unknown outcome, if it is a task (TOL-99).
func (s *server) probe(ctx context.Context, call fsm.RunProbe) tool.Found {
	unsure := func(why string) tool.Found { return tool.Found{Answer: fsm.ProbeUnsure, Text: why} }
	note, found, err := s.options.notes.Get(call.Key)
	switch {
	case err != nil:
		return unsure("what is known of the call cannot be read: " + err.Error())
	case !found || note.Task == "":
		return unsure("no task of the call is known")
	}
	n, err := s.ready(ctx)
	if err != nil {
		return unsure("its server is not up: " + err.Error())
	}
	task, err := n.tasks.Get(ctx, n.client, note.Task)
	s.noticed(n, err)
	switch {
	case err != nil:
		return unsure("its server does not report the status of the task: " + err.Error())
	case task.Status == wire.Cancelled:
		return unsure("its task was cancelled")
	case task.Status.Ended():
		res, err := n.resultOf(ctx, task)
		var refused *jsonrpc.Error
		switch {
		case errors.As(err, &refused):
			return tool.Found{Answer: fsm.ProbeDone, Text: s.refusal(refused).Text, Failed: true}
		case err == nil && len(text(res)) <= tool.ProbeBytesMax:
			return tool.Found{Answer: fsm.ProbeDone, Text: text(res), Failed: res.IsError}
		}
	}
	return tool.Found{Answer: fsm.ProbeWorking, Text: "its task is " + string(task.Status)}
}
