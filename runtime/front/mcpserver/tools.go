package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/front/wire"
)

const instructions = "shelly is an agent on this machine. Use ask to give it work. Every request has an id and is kept: request returns its answer later, even after a restart. " +
	"If it waits for a person's approval, decide with approve or deny, if your token has the right."

// The tools. ToolAsk gives the agent work.
const (
	ToolAsk      = "ask"
	toolRequest  = "request"
	toolRequests = "requests"
	toolStatus   = "status"
	toolApprove  = "approve"
	toolDeny     = "deny"
	toolCancel   = "cancel"
)

// offered is a tool of the server.
type offered struct {
	decl *sdk.Tool
	run  sdk.ToolHandler
}

// arguments are the arguments of all the tools.
type arguments struct {
	Text    string
	Session string
	ID      string
	Channel string
	Key     string
	Grant   string
	Reason  string
}

// The properties of the schema of a tool's arguments.
const (
	ofAsk = `"text":{"type":"string","minLength":1,"description":"What the agent is to do."},"session":{"type":"string","description":"Conversation to continue; default: this channel's own."},` +
		`"id":{"type":"string","description":"Makes a repeated call the same request: it is done once. Default: a new one."}`
	ofRequest = `"id":{"type":"string","description":"Id of the request."},"channel":{"type":"string","description":"Channel of the request; default: mcp."}`

	idRequired = `"id"`
)

func (v visit) tools() []offered {
	yes, no := true, false
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}
	acts := &sdk.ToolAnnotations{DestructiveHint: &yes}
	list := []struct {
		name, text, properties, required string
		hints                            *sdk.ToolAnnotations
		run                              func(context.Context, *sdk.CallToolRequest, arguments) (*sdk.CallToolResult, error)
	}{
		{ToolAsk, "Give the agent work or ask it something, and wait for its answer. Long work continues, and the answer then names its id.",
			ofAsk, `"text"`, &sdk.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: false}, v.ask},
		{toolRequest, "Get a request's answer, or its state if it is unfinished.", ofRequest, idRequired, reads, v.request},
		{toolRequests, "List your unfinished requests, with what a person is asked about each.", "", "", reads, v.requests},
		{toolStatus, "Show what the agent is doing.", "", "", reads, v.status},
		{toolApprove, "Approve the tool call that a request is waiting on.", ofRequest + `,"key":{"type":"string","description":"Key of the call, as request shows it; default: the one that is waiting."},` +
			`"grant":{"type":"string","enum":["once","session","always"],"description":"Which calls it covers; default: once, this one alone."}`, idRequired, acts, v.decide(true)},
		{toolDeny, "Deny the tool call that a request is waiting on.", ofRequest + `,"key":{"type":"string","description":"Key of the call; default: the one that is waiting."},` +
			`"reason":{"type":"string","description":"Why, or what to do instead, for the agent; at most 2000 bytes."}`, idRequired, acts, v.decide(false)},
		{toolCancel, "Cancel a request.", ofRequest, idRequired, acts, v.cancel},
	}
	tools := make([]offered, len(list))
	for i, t := range list {
		schema := fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`, t.properties, t.required)
		tools[i] = offered{
			decl: &sdk.Tool{Name: t.name, Description: t.text, InputSchema: json.RawMessage(schema), Annotations: t.hints},
			run: func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				a, err := read(r.Params.Arguments, t.properties)
				if err == nil && t.required == idRequired && a.ID == "" {
					err = errors.New("id is missing; requests lists your unfinished requests")
				}
				if err != nil {
					return failed(err), nil
				}
				return t.run(v.as(ctx), r, a)
			},
		}
	}
	return tools
}

// read reads arguments by the properties of their schema; no arguments, or null, are an empty
// object.
func read(raw json.RawMessage, properties string) (a arguments, err error) {
	var known map[string]json.RawMessage
	if err := json.Unmarshal([]byte("{"+properties+"}"), &known); err != nil || len(raw) == 0 {
		return a, err
	}
	fields := slices.DeleteFunc([]wire.Field{
		wire.Text("text", &a.Text), wire.Text("session", &a.Session), wire.Text("id", &a.ID),
		wire.Text("channel", &a.Channel), wire.Text("key", &a.Key), wire.Text("grant", &a.Grant), wire.Text("reason", &a.Reason),
	}, func(f wire.Field) bool { return known[f.Name] == nil })
	v, err := wire.Parse(raw)
	if err == nil && v.Kind != wire.Null {
		err = v.Object(fields...)
	}
	if err != nil {
		return arguments{}, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	return a, nil
}

// answer is a result with a text and a structured value.
func answer(text string, more any, isError bool) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: more, IsError: isError}
}

// failed is the result of a call that was not carried out. It says what to do, if a client of shelly's own
// routes is told so.
func failed(err error) *sdk.CallToolResult { return answer(sentence(err), nil, true) }

func sentence(err error) string {
	if p := comm.ProblemOf(err); p.Code != comm.CodeInternal {
		return p.Sentence()
	}
	return err.Error()
}

// standing is a request's standing as a structured value.
type standing struct {
	ID      string      `json:"id"`
	Channel string      `json:"channel,omitempty"`
	State   string      `json:"state"` // accepted, done or failed
	Phase   fsm.State   `json:"phase,omitempty"`
	Text    string      `json:"text,omitempty"`
	Reply   string      `json:"reply,omitempty"`
	Outcome fsm.Outcome `json:"outcome,omitempty"`
	Asks    *comm.Ask   `json:"asks,omitempty"`
}

// status returns the daemon's status; a caller that may not see everything gets only the
// lifecycle's state.
func (v visit) status(ctx context.Context, _ *sdk.CallToolRequest, _ arguments) (*sdk.CallToolResult, error) {
	s := v.front.Status(ctx)
	text := fmt.Sprintf("shelly %s is %s; its answers come from %s. %d wait, %d are worked on.", s.Version, s.Lifecycle, s.Brain, s.Waiting, len(s.Active))
	if !v.caller.Everything() {
		return answer(fmt.Sprintf("shelly is %s.", s.Lifecycle), map[string]any{"lifecycle": s.Lifecycle}, false), nil
	}
	return answer(text, s, false), nil
}
