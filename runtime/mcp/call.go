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

// call calls a tool (TOL-96).
func (s *server) call(ctx context.Context, d declared, a tool.Arguments) tool.Result {
	n, err := s.current()
	if err != nil {
		return tool.Nothing("the server %s is not up, and is being started again: %v", s.config.Name, err)
	}
	f, done := n.begin()
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, s.config.Timeout, errTime)
	defer cancel()
	res, err := s.ask(ctx, n, d, a)
	if n.silence(err != nil && context.Cause(ctx) == errTime) >= silentMax {
		s.lost(n, errors.New("it does not answer"))
	}
	if err != nil {
		result := s.failure(ctx, n, d, err)
		result.Contained = n.link.contained()
		return result
	}
	result := tool.Result{Contained: n.link.contained(), Text: text(res), Failed: res.IsError, Invalid: res.IsError} // it would answer the same
	for _, q := range f.asked {
		result.Text += fmt.Sprintf("\n[the server asked a person %q; it was declined, since nobody can be asked during a call]", q)
	}
	return result
}

// ask sends a call and waits for its answer, or until ctx is done. A server that takes in
// nothing keeps its caller waiting beyond that, and is ended.
func (s *server) ask(ctx context.Context, n *session, d declared, a tool.Arguments) (*sdk.CallToolResult, error) {
	type answer struct {
		res *sdk.CallToolResult
		err error
	}
	result := make(chan answer, 1)
	go func() {
		res, err := n.client.CallTool(ctx, &sdk.CallToolParams{Name: d.name, Arguments: map[string]any(a)})
		result <- answer{res, err}
	}()
	select {
	case a := <-result:
		return a.res, a.err
	case <-ctx.Done():
	}
	patience := time.NewTimer(s.options.pace.grace)
	defer patience.Stop()
	select {
	case a := <-result:
		return a.res, a.err
	case <-patience.C:
		s.lost(n, errors.New("it does not read what it is sent"))
		return nil, context.Cause(ctx)
	}
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
