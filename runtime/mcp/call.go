package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// errTime is the cause of a call that its time-out has ended.
var errTime = errors.New("its time was over")

// calling is a call that its server works on.
type calling struct {
	n      *session
	d      declared
	f      *flight
	asks   chan *question
	result chan answer // of one place
	end    func()      // gives it up, or notes that it has ended
}

type answer struct {
	res *sdk.CallToolResult
	err error
}

// call calls a tool (TOL-96), or goes on with a call whose server's question a person has
// answered (TOL-97).
func (s *server) call(ctx context.Context, call fsm.RunTool, d declared, a tool.Arguments) tool.Result {
	if h := s.answered(call.Key); h != nil {
		h.question.answer <- call.Approved
		return s.await(ctx, call, h.calling)
	}
	n, err := s.current()
	if err != nil {
		return tool.Nothing("the server %s is not up, and is being started again: %v", s.config.Name, err)
	}
	c := &calling{n: n, d: d, f: &flight{}, asks: make(chan *question, 1), result: make(chan answer, 1)}
	if call.Key != "" && !call.Approved { // a person who has let it run is not asked again (APR-19)
		c.f.asks = c.asks
	}
	done := n.begin(c.f)
	running, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it outlives this turn where a person is asked
	c.end = func() { cancel(); done() }
	go func() {
		res, err := n.client.CallTool(running, &sdk.CallToolParams{Name: d.name, Arguments: map[string]any(a)})
		c.result <- answer{res, err}
	}()
	return s.await(ctx, call, c)
}

// await waits for the answer to a call, for its server's question to a person, or until its
// time is over.
func (s *server) await(ctx context.Context, call fsm.RunTool, c *calling) tool.Result {
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout, errTime)
	defer cancel()
	for {
		select {
		case a := <-c.result:
			return s.ended(ctx, c, a)
		case q := <-c.asks:
			if !s.hold(call.Key, c, q) {
				q.answer <- false
				continue
			}
			return tool.Result{Contained: c.n.link.contained(), Text: "not run: " + q.text, Failed: true, Nothing: true, Asks: q.text}
		case <-ctx.Done():
			return s.ended(ctx, c, s.giveUp(ctx, c))
		}
	}
}

// giveUp gives a call up. A server that takes in nothing keeps its caller waiting beyond
// that, and is ended.
func (s *server) giveUp(ctx context.Context, c *calling) answer {
	c.end()
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
	c.end()
	if c.n.silence(a.err != nil && context.Cause(ctx) == errTime) >= silentMax {
		s.lost(c.n, errors.New("it does not answer"))
	}
	if a.err != nil {
		result := s.failure(ctx, c.n, c.d, a.err)
		result.Contained = c.n.link.contained()
		return result
	}
	result := tool.Result{Contained: c.n.link.contained(), Text: text(a.res), Failed: a.res.IsError, Invalid: a.res.IsError} // it would answer the same
	for _, q := range c.n.declined(c.f) {
		result.Text += fmt.Sprintf("\n[the server asked a person %q; it was declined: a yes is no answer to it, or the call was approved before it]", q)
	}
	return result
}

// failure words why a call has no result. Where it may have had effects, nobody knows
// which.
func (s *server) failure(ctx context.Context, n *session, d declared, err error) tool.Result {
	unknown := "; its outcome is unknown: check before you repeat it"
	if d.effects == fsm.EffectsNone {
		unknown = ""
	}
	var wire *jsonrpc.Error
	switch {
	case errors.As(err, &wire) && (wire.Code == jsonrpc.CodeInvalidParams || wire.Code == jsonrpc.CodeMethodNotFound):
		return tool.Invalid("the server %s refuses the call: %s", s.config.Name, wire.Message)
	case errors.As(err, &wire):
		return tool.Failed("the server %s answers with an error: %s", s.config.Name, wire.Message)
	case context.Cause(ctx) == errTime:
		return tool.Failed("the server %s gave no answer within %v (tools.mcp.%s.timeout)%s", s.config.Name, s.config.Timeout, s.config.Name, unknown)
	case ctx.Err() != nil:
		return tool.Failed("stopped: the call was given up%s", unknown)
	}
	s.lost(n, fmt.Errorf("a call failed: %w", err)) // a server at an address does not end by itself
	return tool.Failed("the server %s ended during the call%s%s", s.config.Name, said(n.link.complaint()), unknown)
}

// text is a result as the model is shown it.
func text(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image, %s, %d bytes; it cannot be shown]", c.MIMEType, len(c.Data)))
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound, %s, %d bytes; it cannot be shown]", c.MIMEType, len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, fmt.Sprintf("[a link: %s %s]", c.Name, c.URI))
		case *sdk.EmbeddedResource:
			parts = append(parts, resource(c.Resource))
		}
	}
	if len(parts) == 0 && r.StructuredContent != nil {
		if b, err := json.Marshal(r.StructuredContent); err == nil {
			parts = append(parts, string(b))
		}
	}
	if len(parts) == 0 {
		return "(no output)"
	}
	return strings.Join(parts, "\n")
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Text != "":
		return r.URI + ":\n" + r.Text
	}
	return fmt.Sprintf("[a resource: %s, %s, %d bytes]", r.URI, r.MIMEType, base64.StdEncoding.EncodedLen(len(r.Blob))*3/4)
}
