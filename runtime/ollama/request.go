package ollama

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/fsm/described"
)

// chatRequest is the body of /api/chat: the library's type except where that would change
// something. The library's tools lose parts of a schema, its calls encode their arguments again,
// and its options are a map.
type chatRequest struct {
	api.ChatRequest
	Messages int  `json:"messages"`        // a placeholder: see filled
	Tools    int  `json:"tools,omitempty"` // a placeholder too; 0: no tools
	Options  Sent `json:"options"`
}

// Sent is the options that a call is sent with, under the names of [api.Options].
type Sent struct {
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`
}

type message struct {
	api.Message
	ToolCalls []call `json:"tool_calls,omitempty"`
}

// call is a tool call on the wire, in both directions.
type call struct {
	api.ToolCall
	Function function `json:"function"`
}

type function struct {
	api.ToolCallFunction
	Arguments json.RawMessage `json:"arguments"`
}

// UnmarshalJSON reads a call. Servers other than Ollama's write an id as a number, or an index as a
// string; an index that is no number is 0.
func (c *call) UnmarshalJSON(text []byte) error {
	var in struct {
		ID       json.RawMessage `json:"id"`
		Function struct {
			Index     json.RawMessage `json:"index"`
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	index, _ := strconv.Atoi(bare(in.Function.Index))
	*c = newCall(bare(in.ID), index, in.Function.Name, in.Function.Arguments)
	return nil
}

// bare returns a string's content, any other value as it is written, and nothing for null.
func bare(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

func newCall(id string, index int, name string, arguments json.RawMessage) call {
	return call{api.ToolCall{ID: id}, function{api.ToolCallFunction{Index: index, Name: name}, arguments}}
}

type tool struct {
	api.Tool
	Function schema `json:"function"`
}

type schema struct {
	api.ToolFunction
	Parameters json.RawMessage `json:"parameters"`
}

// request returns the body that asks for ask and offers tools in the given manner. The window and
// the length are the same every time, and truncation is not allowed (BRN-2). Least is the least
// number of tokens that its texts can be counted as (BRN-3).
func (c *Client) request(ask fsm.AskBrain, tools []fsm.ToolDecl, how manner) (body []byte, least int, err error) {
	var system []fsm.Message
	messages, options := ask.Conversation.Messages, c.Sends(ask.Options)
	switch {
	case how.described:
		if len(tools) > 0 {
			options.Stop = c.stops()
		}
		messages, tools = described.Conversation(ask.Messages(), tools), nil
	case ask.System != "":
		system = []fsm.Message{{Role: fsm.RoleSystem, Text: ask.System}}
	}
	if how.inTurns {
		system, messages = nil, inTurns(slices.Concat(system, messages))
	}
	yes, no := true, false
	req := chatRequest{
		ChatRequest: api.ChatRequest{
			Model: c.opt.Model, Stream: &yes, Truncate: &no, Shift: &no,
			KeepAlive: &api.Duration{Duration: c.opt.KeepAlive}, Think: thinks(how.think),
		},
		Options: options,
	}
	offered, err := c.encoded.toolsAsSent(tools)
	if err != nil {
		return nil, 0, err
	}
	if len(tools) > 0 {
		req.Tools = toolsHere
	}
	if body, err = encode(req); err != nil {
		return nil, 0, err
	}
	p := c.encoded.take(talkOf(&ask))
	if err := p.set(system, messages); err != nil {
		return nil, 0, err
	}
	body, least = p.filled(body, offered), p.tokens()
	c.encoded.give(p)
	return body, least, nil
}

// stops returns where an answer ends that may call a described tool: before a result that the model
// makes up (BRN-16), and where the model's author has it end, which the call's own would replace. It
// is nil if the server does not say that.
func (c *Client) stops() []string {
	f := c.known.of(c.opt.Model)
	if !f.told {
		return nil
	}
	return slices.Concat(f.can.Stops, described.Stops())
}

// thinks returns the wire form of how much a model should think; nil leaves it out.
func thinks(think string) *api.ThinkValue {
	switch think {
	case "":
		return nil
	case "true", "false":
		return &api.ThinkValue{Value: think == "true"}
	default:
		return &api.ThinkValue{Value: think}
	}
}

// Thinks returns Options.Think.
func (c *Client) Thinks() string { return c.opt.Think }

// Describes reports whether a model without tools gets a description of them in the prompt (BRN-16).
func (c *Client) Describes() bool { return c.opt.Tools != ToolsNative }

// Sends returns the client's own options, overridden by those that come with the call (INF-23).
func (c *Client) Sends(asked fsm.Options) Sent {
	o := Sent{NumCtx: c.opt.NumCtx, NumPredict: c.opt.NumPredict, Seed: c.opt.Seed}
	if asked.Temperature != 0 {
		degrees := max(0, float64(asked.Temperature)/1000)
		o.Temperature = &degrees
	}
	if asked.MaxTokens > 0 {
		o.NumPredict = asked.MaxTokens
	}
	return o
}

func wireMessage(m fsm.Message) message {
	w := message{Message: api.Message{
		Role: string(m.Role), Content: m.Text, Thinking: m.Thinking, ToolName: m.Tool, ToolCallID: m.ToolCall,
	}}
	for _, image := range m.Images {
		w.Images = append(w.Images, image)
	}
	for i, tc := range m.Calls {
		w.ToolCalls = append(w.ToolCalls, newCall(tc.ID, i, tc.Name, json.RawMessage(described.Arguments(tc.Args))))
	}
	return w
}

func wireTools(decls []fsm.ToolDecl) ([]byte, error) {
	tools := make([]tool, len(decls))
	for i, t := range decls {
		var err error
		if tools[i], err = wireTool(t); err != nil {
			return nil, err
		}
	}
	return encode(tools)
}

func wireTool(t fsm.ToolDecl) (tool, error) {
	parameters := described.Schema(t)
	if !described.IsObject(parameters) {
		return tool{}, fmt.Errorf("the parameters of tool %q are not a JSON schema object", t.Name)
	}
	return tool{api.Tool{Type: "function"}, schema{api.ToolFunction{Name: t.Name, Description: t.Description}, json.RawMessage(parameters)}}, nil
}
