package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
)

// chatRequest is the body of /api/chat. The library's type is not used because
// its tools drop parts of a schema and its calls re-encode their arguments.
type chatRequest struct {
	Model     string       `json:"model"`
	Messages  []message    `json:"messages"`
	Tools     []tool       `json:"tools,omitempty"`
	Stream    bool         `json:"stream"`
	Truncate  bool         `json:"truncate"`
	Shift     bool         `json:"shift"`
	KeepAlive api.Duration `json:"keep_alive"`
	Think     any          `json:"think,omitempty"` // a bool, or how much
	Options   Sent         `json:"options"`
}

// Sent are the options that a call is sent with.
type Sent struct {
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
}

type message struct {
	Role       fsm.Role `json:"role"`
	Content    string   `json:"content"`
	Thinking   string   `json:"thinking,omitempty"`
	ToolCalls  []call   `json:"tool_calls,omitempty"`
	Images     [][]byte `json:"images,omitempty"` // base64 on the wire, as the API wants them
	ToolName   string   `json:"tool_name,omitempty"`
	ToolCallID string   `json:"tool_call_id,omitempty"`
}

// call is a tool call on the wire, in both directions.
type call struct {
	ID       string   `json:"id,omitempty"`
	Function function `json:"function"`
}

type function struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function schema `json:"function"`
}

type schema struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// request returns the body that asks for ask and offers tools in the manner that the
// model can be asked in, with the window and the length each time and no leave to
// truncate (BRN-2).
func (c *Client) request(ask fsm.AskBrain, tools []fsm.ToolDecl, how manner) ([]byte, error) {
	messages := ask.Messages()
	if how.described {
		messages, tools = described(messages, tools), nil
	}
	req := chatRequest{
		Model:     c.opt.Model,
		Messages:  make([]message, 0, len(messages)),
		Stream:    true,
		KeepAlive: api.Duration{Duration: c.opt.KeepAlive},
		Think:     thinks(how.think),
		Options:   c.Sends(ask.Options),
	}
	for _, m := range messages {
		req.Messages = append(req.Messages, wireMessage(m))
	}
	for _, t := range tools {
		w, err := wireTool(t)
		if err != nil {
			return nil, err
		}
		req.Tools = append(req.Tools, w)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(req); err != nil {
		return nil, fmt.Errorf("encode the conversation: %w", err)
	}
	return b.Bytes(), nil
}

// thinks is the wire form of how much a model is to think; nil leaves it out.
func thinks(think string) any {
	switch think {
	case "":
		return nil
	case "true", "false":
		return think == "true"
	default:
		return think
	}
}

// Thinks returns Options.Think.
func (c *Client) Thinks() string { return c.opt.Think }

// Describes reports whether a model without tools is told of them in the prompt (BRN-16).
func (c *Client) Describes() bool { return c.opt.Tools != ToolsNative }

// Sends returns the client's own options, with those that travel with the call before
// them (INF-23).
func (c *Client) Sends(asked fsm.Options) Sent {
	o := Sent{NumCtx: c.opt.NumCtx, NumPredict: c.opt.NumPredict, Temperature: c.opt.Temperature, Seed: c.opt.Seed}
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
	w := message{Role: m.Role, Content: m.Text, Thinking: m.Thinking, Images: m.Images, ToolName: m.Tool, ToolCallID: m.ToolCall}
	for i, tc := range m.Calls {
		w.ToolCalls = append(w.ToolCalls, call{ID: tc.ID, Function: function{Index: i, Name: tc.Name, Arguments: sendable(tc.Args)}})
	}
	return w
}

// sendable is args where the server takes them. It refuses the whole request for
// arguments that are no object, and the tool's result tells the model of them.
func sendable(args string) json.RawMessage {
	if raw := json.RawMessage(args); isObject(raw) {
		return raw
	}
	return json.RawMessage("{}")
}

func wireTool(t fsm.ToolDecl) (tool, error) {
	parameters := schemaOf(t)
	if !isObject(parameters) {
		return tool{}, fmt.Errorf("the parameters of tool %q are not a JSON schema object", t.Name)
	}
	return tool{Type: "function", Function: schema{Name: t.Name, Description: t.Description, Parameters: parameters}}, nil
}

// schemaOf is the schema of a tool's arguments; one that declares none takes none.
func schemaOf(t fsm.ToolDecl) json.RawMessage {
	if t.Parameters == "" {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return json.RawMessage(t.Parameters)
}

func isObject(raw json.RawMessage) bool {
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}
