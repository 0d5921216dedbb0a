package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Server is what a server of the library needs in order to have tasks. Its functions are called
// from many goroutines at once. An unknown task id is an error with the code for invalid params.
type Server struct {
	// Tools are those whose calls may be tasks.
	Tools []string
	// Begin begins a call as a task, which is durable once it returns. If extended is true, which
	// means 2026-07-28, a call that needs no task may return its result at once.
	Begin func(ctx context.Context, s *sdk.ServerSession, p *sdk.CallToolParamsRaw, extended bool) (Outcome, error)
	// Get returns a task's status; a completed one has its Result. May is what its client can be
	// asked; a client of 2025-11-25 cannot be asked anything here.
	Get func(ctx context.Context, id string, may Abilities) (Task, error)
	// Result waits for a task's result, and may ask its session until then.
	Result func(ctx context.Context, s *sdk.ServerSession, id string) (*sdk.CallToolResult, error)
	// Cancel asks to end a task, and returns its status after that.
	Cancel func(ctx context.Context, id string) (Task, error)
	// Update takes answers to a task's Asks.
	Update func(ctx context.Context, id string, answers map[string]json.RawMessage) error
}

// Use adds them to a server, whose capabilities must name the [Extension], and whose input must
// come through [Incoming] or [Handler].
func (t Server) Use(s *sdk.Server) error {
	s.AddReceivingMiddleware(t.grows)
	type session = *sdk.ServerSession
	return errors.Join(
		sdk.AddReceivingCustomMethod(s, methodCallTask, func(ctx context.Context, ss session, p *taskParams) (*shown, error) {
			o, err := t.Begin(ctx, ss, &sdk.CallToolParamsRaw{Meta: p.Meta, Name: p.Name, Arguments: p.Arguments}, false)
			if err != nil {
				return nil, err
			}
			return &shown{v: map[string]any{"task": o.Task.older()}}, nil
		}),
		sdk.AddReceivingCustomMethod(s, MethodGet, func(ctx context.Context, _ session, p *ofTask) (*shown, error) {
			task, err := t.Get(ctx, p.TaskID, abilities(p.Meta))
			return task.shown(p.extended()), err
		}),
		sdk.AddReceivingCustomMethod(s, MethodResult, func(ctx context.Context, ss session, p *ofTask) (*sdk.CallToolResult, error) {
			res, err := t.Result(ctx, ss, p.TaskID)
			if err == nil {
				res.Meta = sdk.Meta{RelatedTask: map[string]any{"taskId": p.TaskID}}
			}
			return res, err
		}),
		sdk.AddReceivingCustomMethod(s, MethodCancel, func(ctx context.Context, _ session, p *ofTask) (*shown, error) {
			task, err := t.Cancel(ctx, p.TaskID)
			if p.extended() {
				return &shown{v: map[string]any{"resultType": "complete"}}, err
			}
			return task.shown(false), err
		}),
		sdk.AddReceivingCustomMethod(s, MethodUpdate, func(ctx context.Context, _ session, p *update) (*shown, error) {
			return &shown{v: map[string]any{"resultType": "complete"}}, t.Update(ctx, p.TaskID, p.InputResponses)
		}),
	)
}

// taskParams are the parameters of a call that its client wants as a task.
type taskParams struct {
	sdk.ParamsBase
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// shown is an answer that is written as it is.
type shown struct {
	sdk.ResultBase
	v any
}

// MarshalJSON implements [json.Marshaler].
func (s *shown) MarshalJSON() ([]byte, error) { return json.Marshal(s.v) }

// grows adds to some answers that there are tasks, and begins tasks if the protocol leaves that
// to the server.
func (t Server) grows(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if p, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok && abilities(p.Meta).Tasks && slices.Contains(t.Tools, p.Name) {
			o, err := t.Begin(ctx, req.GetSession().(*sdk.ServerSession), p, true)
			if err != nil || o.Task == nil {
				return o.Result, err
			}
			task := o.Task.newer()
			task["resultType"] = "task"
			return &shown{v: task}, nil
		}
		res, err := next(ctx, method, req)
		switch {
		case err != nil:
		case method == "initialize":
			return grown{res, t.capable}, nil
		case method == "tools/list" && !extended(req.GetParams().GetMeta()):
			return grown{res, t.supported}, nil
		}
		return res, err
	}
}

// grown is an answer of the library with additional fields.
type grown struct {
	sdk.Result
	more func(map[string]any)
}

// MarshalJSON writes the answer with its additional fields.
func (g grown) MarshalJSON() ([]byte, error) {
	b, err := json.Marshal(g.Result)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		return nil, err
	}
	g.more(fields)
	return json.Marshal(fields)
}

// capable adds to a greeting of 2025-11-25 that calls may be tasks.
func (t Server) capable(greeting map[string]any) {
	if can, ok := greeting["capabilities"].(map[string]any); ok {
		none := map[string]any{}
		can["tasks"] = map[string]any{"cancel": none, "requests": map[string]any{"tools": map[string]any{"call": none}}}
	}
}

// supported adds to a list of 2025-11-25 which tools' calls may be tasks.
func (t Server) supported(list map[string]any) {
	tools, _ := list["tools"].([]any)
	for _, entry := range tools {
		if tool, ok := entry.(map[string]any); ok {
			if name, _ := tool["name"].(string); slices.Contains(t.Tools, name) {
				tool["execution"] = map[string]any{"taskSupport": "optional"}
			}
		}
	}
}

// Abilities are what a client of 2026-07-28 says in a request that it can do.
type Abilities struct {
	Tasks, Elicits bool
}

// abilities reads them from a request's metadata.
func abilities(m sdk.Meta) Abilities {
	var can struct {
		Extensions  map[string]json.RawMessage `json:"extensions"`
		Elicitation json.RawMessage            `json:"elicitation"`
	}
	b, err := json.Marshal(m[sdk.MetaKeyClientCapabilities])
	if err != nil || json.Unmarshal(b, &can) != nil {
		return Abilities{}
	}
	_, tasks := can.Extensions[Extension]
	return Abilities{Tasks: tasks, Elicits: len(can.Elicitation) > 0}
}

// extended reports whether a request's metadata is of 2026-07-28.
func extended(m sdk.Meta) bool {
	version, _ := m[sdk.MetaKeyProtocolVersion].(string)
	return version >= newer
}

func (p *ofTask) extended() bool { return extended(p.Meta) }

func (t *Task) shown(extended bool) *shown {
	if !extended {
		return &shown{v: t.older()}
	}
	task := t.newer()
	task["resultType"] = "complete"
	return &shown{v: task}
}

// older returns a task in the form of 2025-11-25.
func (t *Task) older() map[string]any {
	m := t.common()
	m["ttl"], m["pollInterval"] = nil, t.Poll.Milliseconds()
	return m
}

// newer returns a task in the form of 2026-07-28.
func (t *Task) newer() map[string]any {
	m := t.common()
	m["ttlMs"], m["pollIntervalMs"] = nil, t.Poll.Milliseconds()
	if len(t.Asks) > 0 {
		m["inputRequests"] = t.Asks
	}
	if t.Result != nil {
		m["result"] = t.Result
	}
	if t.Error != nil {
		m["error"] = t.Error
	}
	return m
}

func (t *Task) common() map[string]any {
	m := map[string]any{
		"taskId": t.ID, "status": t.Status,
		"createdAt": t.Created.UTC().Format(time.RFC3339Nano), "lastUpdatedAt": t.Updated.UTC().Format(time.RFC3339Nano),
	}
	if t.Message != "" {
		m["statusMessage"] = t.Message
	}
	return m
}

// incoming gives a call that its client wants as a task its private name, and lets no other
// message have a private name.
func incoming(message []byte) []byte {
	var e envelope
	if json.Unmarshal(message, &e) != nil {
		return message
	}
	var p struct {
		Task json.RawMessage `json:"task"`
	}
	switch {
	case named[e.Method] != "":
		e.Method = "unknown/" + e.Method
	case e.Method == "tools/call" && json.Unmarshal(e.Params, &p) == nil && len(p.Task) > 0 && p.Task[0] == '{':
		e.Method = methodCallTask
	default:
		return message
	}
	changed, err := json.Marshal(e)
	if err != nil {
		return message
	}
	return changed
}

// Handler gives the calls of clients, whose bodies may have at most bytesMax bytes, the names
// that [Server] expects. The library compares the headers with the message as they are written, so they are decoded.
func Handler(next http.Handler, bytesMax int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bytesMax))
			if err != nil {
				http.Error(w, "the body cannot be read", http.StatusRequestEntityTooLarge)
				return
			}
			changed := incoming(body)
			r = r.Clone(r.Context())
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			for _, name := range []string{methodHeader, nameHeader} {
				if written := r.Header.Get(name); written != "" {
					r.Header.Set(name, textOf(written))
				}
			}
		}
		next.ServeHTTP(w, r)
	})
}
