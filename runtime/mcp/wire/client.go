package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"shelly/runtime/misfit"
)

// Client adds tasks to a client of the library. It belongs to one client and one
// session, and is safe for concurrent use.
type Client struct {
	mu      sync.Mutex
	offered bool            // the server has tasks (2025-11-25)
	cancels bool            // it can cancel them (2025-11-25)
	latest  map[string]mode // of the tools on the latest list, as far as that was read
	before  map[string]mode // of those on the list before it
}

// mode is how a tool is called.
type mode struct {
	tasks   bool       // its calls may be tasks (2025-11-25)
	headers []repeated // the arguments that are repeated (2026-07-28)
}

// mode returns that of a tool. The caller holds the lock.
func (t *Client) mode(tool string) mode {
	if m, ok := t.latest[tool]; ok {
		return m
	}
	return t.before[tool]
}

// NewClient prepares a client that is not yet connected.
func NewClient(c *sdk.Client) (*Client, error) {
	t := &Client{latest: map[string]mode{}}
	err := errors.Join(
		sdk.AddSendingCustomMethod[*sdk.InitializeParams, *greeting](c, methodGreet),
		sdk.AddSendingCustomMethod[*sdk.ListToolsParams, *list](c, methodList),
		sdk.AddSendingCustomMethod[*sdk.SubscriptionsListenParams, *anything](c, methodListen),
		sdk.AddSendingCustomMethod[*callParams, *outcome](c, methodCall),
		sdk.AddSendingCustomMethod[*ofTask, *told](c, MethodGet),
		sdk.AddSendingCustomMethod[*ofTask, *outcome](c, MethodResult),
		sdk.AddSendingCustomMethod[*ofTask, *anything](c, MethodCancel),
		sdk.AddSendingCustomMethod[*update, *anything](c, MethodUpdate),
	)
	c.AddSendingMiddleware(plain, t.looks)
	return t, err
}

// looks notes what the answers to some methods say about tasks.
func (t *Client) looks(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch method {
		case "initialize":
			res, err := next(ctx, methodGreet, req)
			if err != nil {
				return nil, err
			}
			g := res.(*greeting)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.offered, t.cancels = g.calls, g.cancels
			return &g.InitializeResult, nil
		case "tools/list":
			res, err := next(ctx, methodList, req)
			if err != nil {
				return nil, err
			}
			l := res.(*list)
			t.mu.Lock()
			defer t.mu.Unlock()
			if p, _ := req.GetParams().(*sdk.ListToolsParams); p == nil || p.Cursor == "" { // the first page
				t.before, t.latest = t.latest, map[string]mode{}
			}
			maps.Copy(t.latest, l.modes)
			l.TTLMs = 0 // it is read when it may have changed, and not from the library's cache
			return &l.ListToolsResult, nil
		}
		return next(ctx, method, req)
	}
}

// greeting is a server's answer to initialize, with what it says about tasks.
type greeting struct {
	sdk.InitializeResult
	calls, cancels bool
}

// UnmarshalJSON reads both.
func (g *greeting) UnmarshalJSON(b []byte) error {
	var w struct {
		Capabilities struct {
			Tasks struct {
				Cancel   json.RawMessage
				Requests struct {
					Tools struct{ Call json.RawMessage }
				}
			}
		}
	}
	if err := errors.Join(json.Unmarshal(b, &g.InitializeResult), json.Unmarshal(b, &w)); err != nil {
		return misfit.Worded(err)
	}
	g.calls, g.cancels = w.Capabilities.Tasks.Requests.Tools.Call != nil, w.Capabilities.Tasks.Cancel != nil
	return nil
}

// list is a page of tools, with how they are called.
type list struct {
	sdk.ListToolsResult
	modes map[string]mode
}

// Unreadable is in place of the schema of a tool that cannot be read.
type Unreadable struct{ error }

// UnmarshalJSON reads both. A tool that cannot be read costs no other one.
func (l *list) UnmarshalJSON(b []byte) error {
	var w struct {
		Tools items `json:"tools"`
	}
	var fields map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(b, &fields), json.Unmarshal(b, &w)); err != nil {
		return misfit.Worded(err)
	}
	maps.DeleteFunc(fields, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, "tools") })
	b, err := json.Marshal(fields)
	if err := errors.Join(err, json.Unmarshal(b, &l.ListToolsResult)); err != nil {
		return misfit.Worded(err)
	}
	l.modes = map[string]mode{}
	for _, raw := range w.Tools[:min(len(w.Tools), itemsMax)] {
		var tool *sdk.Tool
		var of struct {
			Name        string
			Execution   struct{ TaskSupport string }
			InputSchema json.RawMessage
		}
		err := json.Unmarshal(raw, &tool)
		_ = json.Unmarshal(raw, &of)
		if err != nil {
			tool = &sdk.Tool{Name: of.Name, InputSchema: Unreadable{fmt.Errorf("it cannot be read: %w", misfit.Worded(err))}}
		}
		l.Tools = append(l.Tools, tool)
		l.modes[of.Name] = mode{of.Execution.TaskSupport == "optional" || of.Execution.TaskSupport == "required", repeats(of.InputSchema)}
	}
	return nil
}

// Extended reports whether a session's tasks are those of 2026-07-28, where the server
// decides which calls become tasks.
func Extended(s *sdk.ClientSession) bool {
	r := s.InitializeResult()
	return r != nil && r.ProtocolVersion >= newer
}

// Tasks reports whether calls of a tool may become tasks.
func (t *Client) Tasks(s *sdk.ClientSession, tool string) bool {
	if Extended(s) {
		can := s.InitializeResult().Capabilities
		return can != nil && can.Extensions[Extension] != nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.offered && t.mode(tool).tasks
}

// Listens reports whether a server says that its list of tools has changed only to a client that
// listens, as since 2026-07-28.
func Listens(s *sdk.ClientSession) bool {
	return Extended(s) && s.InitializeResult().Capabilities != nil &&
		s.InitializeResult().Capabilities.Tools != nil && s.InitializeResult().Capabilities.Tools.ListChanged
}

// Listen listens to a server until it ends the stream or ctx is done. The library would not say
// that the stream has ended.
func (t *Client) Listen(ctx context.Context, s *sdk.ClientSession) error {
	p := &sdk.SubscriptionsListenParams{Notifications: &sdk.NotificationSubscriptions{ToolsListChanged: true}}
	_, err := sdk.CallCustomMethod[*sdk.SubscriptionsListenParams, *anything](ctx, s, methodListen, p)
	return err
}

// callParams are the parameters of a call, including those that the library leaves out.
type callParams struct {
	sdk.ParamsBase
	Name           string                     `json:"name"`
	Arguments      any                        `json:"arguments"`
	Task           *wanted                    `json:"task,omitempty"`
	InputResponses map[string]json.RawMessage `json:"inputResponses,omitempty"`
	RequestState   string                     `json:"requestState,omitempty"`
}

// wanted asks for a task; the server decides how long to keep it.
type wanted struct{}

// Answers are the answers to a server's asks, with the state that it sent along.
type Answers struct {
	To    map[string]json.RawMessage
	State string
}

// Call calls a tool; as a task if it may be one and the protocol leaves that to the client.
func (t *Client) Call(ctx context.Context, s *sdk.ClientSession, name string, arguments any, a Answers) (Outcome, error) {
	p := &callParams{Name: name, Arguments: arguments, InputResponses: a.To, RequestState: a.State}
	if !Extended(s) && t.Tasks(s, name) {
		p.Task = &wanted{}
	}
	t.mu.Lock()
	ctx = repeating(ctx, t.mode(name).headers, arguments)
	t.mu.Unlock()
	o, err := sdk.CallCustomMethod[*callParams, *outcome](ctx, s, methodCall, p)
	if err != nil {
		return Outcome{}, err
	}
	if o.Task != nil && o.Task.ID == "" {
		return Outcome{}, &Unusable{errors.New("it has answered with a task without an id")}
	}
	return o.Outcome, nil
}

// ofTask are the parameters of a method about one task.
type ofTask struct {
	sdk.ParamsBase
	TaskID string `json:"taskId"`
}

// Get asks for a task's status.
func (t *Client) Get(ctx context.Context, s *sdk.ClientSession, id string) (Task, error) {
	r, err := sdk.CallCustomMethod[*ofTask, *told](ctx, s, MethodGet, &ofTask{TaskID: id})
	if err != nil {
		return Task{}, err
	}
	if r.ID != id {
		return Task{}, fmt.Errorf("it was asked for a task and has answered with another")
	}
	return r.Task, nil
}

// Result waits for the result of a task of 2025-11-25. Until then the server may ask questions.
func (t *Client) Result(ctx context.Context, s *sdk.ClientSession, id string) (*sdk.CallToolResult, error) {
	r, err := sdk.CallCustomMethod[*ofTask, *outcome](ctx, s, MethodResult, &ofTask{TaskID: id})
	if err != nil {
		return nil, err
	}
	if r.Outcome.Result == nil {
		return nil, &Unusable{errors.New("it was asked for a task's result and has answered with something else")}
	}
	return r.Outcome.Result, nil
}

// Cancel asks a server to end a task, if it can.
func (t *Client) Cancel(ctx context.Context, s *sdk.ClientSession, id string) error {
	t.mu.Lock()
	can := t.cancels || Extended(s)
	t.mu.Unlock()
	if !can {
		return nil
	}
	_, err := sdk.CallCustomMethod[*ofTask, *anything](ctx, s, MethodCancel, &ofTask{TaskID: id})
	return err
}

// update is the answers to the asks of a task's server, since 2026-07-28.
type update struct {
	sdk.ParamsBase
	TaskID         string                     `json:"taskId"`
	InputResponses map[string]json.RawMessage `json:"inputResponses"`
}

// Update sends a server the answers to a task's asks.
func (t *Client) Update(ctx context.Context, s *sdk.ClientSession, id string, to map[string]json.RawMessage) error {
	_, err := sdk.CallCustomMethod[*update, *anything](ctx, s, MethodUpdate, &update{TaskID: id, InputResponses: to})
	return err
}

// anything is an answer whose content does not matter.
type anything struct{ sdk.ResultBase }

// UnmarshalJSON accepts any JSON.
func (*anything) UnmarshalJSON([]byte) error { return nil }
