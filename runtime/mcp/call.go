package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/mcp/kept"
	"shelly/runtime/mcp/wire"
	"shelly/runtime/tool"
)

// errTime is the cause of a context that the call's time-out ended.
var errTime = errors.New("its time was over")

// ends reports whether a call ends because shelly is stopping, and not because it was given up;
// then the server's work is waited for after the next start.
func ends(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return cause != nil && cause != context.Canceled && cause != errTime
}

// calling is a call on which its server is working.
type calling struct {
	s      *server
	n      *session // on which it began
	d      declared
	call   fsm.RunTool
	args   tool.Arguments
	f      *flight
	asks   chan *question
	alive  chan struct{} // of capacity 1: its server has reported progress
	result chan answer   // of capacity 1
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	note  kept.Note // what is known about it after a crash
	dones []func()  // end it on each of its sessions
}

// end gives a call up, or notes that it has ended.
func (c *calling) end(cause error) {
	c.cancel(cause)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, done := range c.dones {
		done()
	}
}

// on notes that a call is on a session.
func (c *calling) on(n *session) {
	done := n.begin(c.f)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dones = append(c.dones, done)
}

type answer struct {
	res *sdk.CallToolResult
	err error
}

// call calls a tool (TOL-96), or continues a call after a person has answered its server's
// question (TOL-97) or after a crash (TOL-99, TOL-100).
func (s *server) call(ctx context.Context, call fsm.RunTool, d declared, a tool.Arguments) tool.Result {
	if h := s.answered(call.Key); h != nil {
		h.question.answer <- call.Approved
		return s.await(ctx, call, h.calling)
	}
	note := s.noted(call)
	if note.Question != "" && note.Task == "" && note.State == "" && !d.effects.Repeatable() {
		return tool.Failed("the call was cut off while a person was asked about it; its outcome is unknown: check before you repeat it")
	}
	if call.Waits && note.Task == "" {
		return tool.Failed("the task of the call is no longer known; its outcome is unknown: check before you repeat it")
	}
	n, err := s.current()
	if err != nil && note.Task != "" {
		if n, err = s.ready(ctx); err != nil {
			return tool.Failed("the server %s is not up, and works on the call; its outcome is unknown: check before you repeat it: %v", s.config.Name, err)
		}
	}
	if err != nil {
		return tool.Nothing("the server %s is not up, and is being started again: %v", s.config.Name, err)
	}
	return s.await(ctx, call, s.begin(ctx, n, call, d, a, note))
}

// begin begins to work on a call.
func (s *server) begin(ctx context.Context, n *session, call fsm.RunTool, d declared, a tool.Arguments, note kept.Note) *calling {
	c := &calling{
		s: s, n: n, d: d, call: call, args: a, f: &flight{answered: note.Question}, note: note,
		asks: make(chan *question, 1), alive: make(chan struct{}, 1), result: make(chan answer, 1),
	}
	switch {
	case call.Key == "":
		c.f.unasked = "nobody can be asked about the call"
	case call.Approved: // a person who has approved it is not asked again (APR-19)
		c.f.unasked = "the call was approved before"
	default:
		c.f.asks = c.asks
	}
	c.on(n)
	var running context.Context
	running, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx)) // it outlives this turn if a person is asked
	go func() {
		res, err := c.work(running)
		c.result <- answer{res, err}
	}()
	return c
}

// await waits for a call's answer, for its server's question to a person, or until its server
// has been silent for the time-out.
func (s *server) await(ctx context.Context, call fsm.RunTool, c *calling) tool.Result {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(s.config.Timeout, func() { cancel(errTime) })
	defer late.Stop()
	for {
		select {
		case a := <-c.result:
			return s.ended(ctx, c, a)
		case <-c.alive:
			late.Reset(s.config.Timeout)
		case q := <-c.asks:
			if !s.hold(call.Key, c, q) {
				c.n.decline(c.f, q)
				continue
			}
			c.keep(func(n *kept.Note) { n.Question, n.Yes = q.text, q.yes() })
			return tool.Result{Contained: c.n.link.contained(), Text: "not run: " + q.text, Failed: true, Nothing: true, Asks: q.text}
		case <-ctx.Done():
			return s.ended(ctx, c, s.giveUp(ctx, c))
		}
	}
}

// giveUp gives a call up. A server that then still does not read what it is sent is ended.
func (s *server) giveUp(ctx context.Context, c *calling) answer {
	c.end(context.Cause(ctx))
	patience := time.NewTimer(s.options.pace.grace)
	defer patience.Stop()
	select {
	case a := <-c.result:
		return a
	case <-patience.C:
		s.lost(c.n, errors.New("it does not read what it is sent"))
		return answer{err: context.Cause(ctx)}
	}
}

// ended words what came of a call.
func (s *server) ended(ctx context.Context, c *calling, a answer) tool.Result {
	c.end(nil)
	if !ends(ctx) {
		c.keep(func(n *kept.Note) { n.Ended = n.Task != "" || n.Question != "" })
	}
	if c.n.silence(a.err != nil && context.Cause(ctx) == errTime) >= silentMax {
		s.lost(c.n, errors.New("it does not answer"))
	}
	if a.err != nil {
		result := s.failure(ctx, c, a.err)
		result.Contained = c.n.link.contained()
		return result
	}
	result := tool.Result{Contained: c.n.link.contained(), Text: text(a.res), Failed: a.res.IsError, Invalid: a.res.IsError} // it would answer the same
	for _, q := range c.n.declined(c.f) {
		result.Text += "\n[the server asked a person " + q + "]"
	}
	return result
}

// failure words why a call has no result. If it may have had effects, its outcome is unknown.
func (s *server) failure(ctx context.Context, c *calling, err error) tool.Result {
	unknown := "; its outcome is unknown: check before you repeat it"
	if c.d.effects == fsm.EffectsNone {
		unknown = ""
	}
	var refused *jsonrpc.Error
	var unusable *wire.Unusable
	var u *wire.Unanswered
	switch {
	case errors.Is(err, errTask):
		return tool.Failed("the server %s: %v%s", s.config.Name, err, unknown)
	case errors.As(err, &u):
		return s.unanswered(c, u, unknown)
	case errors.As(err, &unusable):
		return tool.Failed("the server %s: %v%s", s.config.Name, unusable, unknown)
	case errors.As(err, &refused) && !c.orphaned():
		return s.refusal(refused)
	case context.Cause(ctx) == errTime:
		return tool.Failed("the server %s gave no answer within %v (tools.mcp.%s.timeout)%s", s.config.Name, s.config.Timeout, s.config.Name, unknown)
	case ctx.Err() != nil:
		return tool.Failed("stopped: the call was given up%s", unknown)
	}
	why := context.Cause(c.n.ended)
	if why == nil {
		why = err
	}
	s.lost(c.n, fmt.Errorf("a call failed: %w", err)) // a session with a server at an address does not end by itself
	return tool.Failed("the server %s ended during the call: %s%s", s.config.Name, wording.OneLine(wording.Clip(why.Error(), 600)), unknown)
}

// unanswered words why a call of a server at an address has no answer.
func (s *server) unanswered(c *calling, u *wire.Unanswered, unknown string) tool.Result {
	s.noticed(c.n, u)
	switch {
	case !u.Undone || c.orphaned():
		return tool.Failed("the server %s gave no answer: %v%s", s.config.Name, u, unknown)
	case u.Gone:
		return tool.Nothing("the server %s is not up, and is being started again: %v", s.config.Name, u)
	case u.Busy:
		return tool.Nothing("the server %s does not take the call now: %v", s.config.Name, u)
	}
	return tool.Invalid("the server %s refuses the call: %v", s.config.Name, u)
}

// noticed ends a session if an error says that it is not there any more.
func (s *server) noticed(n *session, err error) {
	if u, ok := errors.AsType[*wire.Unanswered](err); ok && u.Gone {
		s.lost(n, u)
	}
}

// orphaned reports whether the session of a call has ended since a person was asked about it. An
// error that its server may still have sent then means that the question was cut off, and says
// nothing about the call's outcome.
func (c *calling) orphaned() bool {
	c.mu.Lock()
	asked := c.note.Question != ""
	c.mu.Unlock()
	now, err := c.s.current()
	return asked && (err != nil || now != c.n)
}

// refusal words a server's error answer.
func (s *server) refusal(err *jsonrpc.Error) tool.Result {
	said := cmp.Or(strings.TrimSpace(err.Message), fmt.Sprintf("code %d", err.Code))
	if data := string(err.Data); data != "" && data != "null" { // often the only thing that says which argument is wrong
		said += " (" + wording.OneLine(wording.Clip(data, dataBytesMax)) + ")"
	}
	if err.Code == jsonrpc.CodeInvalidParams || err.Code == jsonrpc.CodeMethodNotFound {
		return tool.Invalid("the server %s refuses the call: %s", s.config.Name, said)
	}
	return tool.Failed("the server %s answers with an error: %s", s.config.Name, said)
}

// dataBytesMax is the most bytes of an error's data that are shown.
const dataBytesMax = 600

// text returns a result as the model is shown it. The structured content counts where nothing else says
// anything: it should be in a text, too.
func text(r *sdk.CallToolResult) string {
	var parts []string
	says := false
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			if strings.TrimSpace(c.Text) != "" {
				parts, says = append(parts, c.Text), true
			}
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image, %s; it cannot be shown]", sized(c.MIMEType, c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound, %s; it cannot be shown]", sized(c.MIMEType, c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("[a link: %s %s]", c.Name, c.URI))
		case *sdk.EmbeddedResource:
			parts = append(parts, resource(c.Resource))
			says = says || c.Resource != nil && c.Resource.Text != ""
		default:
			if b, err := c.MarshalJSON(); err == nil {
				parts = append(parts, "["+wire.Unshown(b)+"]")
			}
		}
	}
	if !says && r.StructuredContent != nil {
		if b, err := wording.JSON(r.StructuredContent); err == nil {
			parts = append(parts, string(b))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, "\n")
	case r.IsError:
		return "the call failed; its server does not say why"
	}
	return "(no output)"
}

// sized says what type data has and how long it is.
func sized(kind string, data []byte) string {
	size := wording.Count(len(data), "byte")
	if kind == "" {
		return size
	}
	return kind + ", " + size
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Text != "":
		return r.URI + ":\n" + r.Text
	}
	return fmt.Sprintf("[a resource: %s, %s]", r.URI, sized(r.MIMEType, r.Blob))
}
