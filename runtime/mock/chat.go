package mock

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// chatRequest is what the server reads of a chat request.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string   `json:"role"`
		Content    string   `json:"content"`
		Thinking   string   `json:"thinking"`
		Images     [][]byte `json:"images"`
		ToolName   string   `json:"tool_name"`
		ToolCallID string   `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Stream    *bool         `json:"stream"`
	KeepAlive *api.Duration `json:"keep_alive"`
	Options   struct {
		NumCtx      int      `json:"num_ctx"`
		NumPredict  int      `json:"num_predict"`
		Temperature *float64 `json:"temperature"`
	} `json:"options"`
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	var req chatRequest
	if !decode(w, r, &req) {
		return
	}
	switch {
	case s.isEmbed(req.Model):
		refuse(w, http.StatusBadRequest, `"`+req.Model+`" does not support chat`)
		return
	case !s.isChat(req.Model):
		s.missing(w, req.Model)
		return
	case len(req.Messages) == 0:
		s.onlyLoad(w, req)
		return
	}
	s.load(req.Model, req.Options.NumCtx)
	if s.opt.Brain == nil {
		refuse(w, http.StatusInternalServerError, "the mock server has no brain")
		return
	}
	a, err := s.opt.Brain.Answer(r.Context(), req.question(r.Header))
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	if a.Delay > 0 && !pause(r.Context(), a.Delay) {
		return
	}
	out := speaker{w: w, began: began, model: req.Model, asked: &req}
	switch {
	case a.Status != 0 && a.Status != http.StatusOK:
		refuse(w, a.Status, a.Error)
	case req.Stream == nil || *req.Stream:
		out.stream(r.Context(), a)
	default:
		out.whole(r.Context(), a)
	}
}

// onlyLoad answers a request without messages: it loads the model, or unloads it
// if it is not to be kept.
func (s *Server) onlyLoad(w http.ResponseWriter, req chatRequest) {
	l := line{Model: req.Model, CreatedAt: time.Now().UTC(), Message: spoken{Role: fsm.RoleAssistant}, Done: true, DoneReason: "load"}
	if req.KeepAlive != nil && req.KeepAlive.Duration == 0 {
		l.DoneReason = "unload"
		s.unload(req.Model)
	} else {
		s.load(req.Model, req.Options.NumCtx)
	}
	reply(w, http.StatusOK, l)
}

// pause waits, or returns false because the client has left.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *chatRequest) question(h http.Header) Question {
	q := Question{
		Model:   r.Model,
		Purpose: or(h.Get(ollama.PurposeHeader), string(fsm.PurposeAnswer)),
		NumCtx:  r.Options.NumCtx, NumPredict: r.Options.NumPredict, Temperature: thousandths(r.Options.Temperature),
	}
	if session, err := url.QueryUnescape(h.Get(ollama.SessionHeader)); err == nil {
		q.Session = session
	}
	for i, m := range r.Messages {
		if i == 0 && m.Role == string(fsm.RoleSystem) {
			q.System = m.Content
			continue
		}
		msg := fsm.Message{
			Role: fsm.Role(m.Role), Text: m.Content, Thinking: m.Thinking, Images: m.Images,
			Tool: m.ToolName, ToolCall: m.ToolCallID,
		}
		for _, c := range m.ToolCalls {
			msg.Calls = append(msg.Calls, fsm.ToolCall{ID: c.ID, Name: c.Function.Name, Args: string(c.Function.Arguments)})
		}
		q.Messages = append(q.Messages, msg)
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, t.Function.Name)
	}
	return q
}

// thousandths is a temperature as [fsm.Options] has it.
func thousandths(t *float64) int {
	switch {
	case t == nil:
		return 0
	case *t == 0:
		return -1
	default:
		return int(math.Round(*t * 1000))
	}
}

// weigh returns how many tool calls the conversation has, and an estimate of its
// tokens.
func (r *chatRequest) weigh() (calls, tokens int) {
	n := 0
	for _, m := range r.Messages {
		calls += len(m.ToolCalls)
		n += len(m.Content) + len(m.Thinking)
	}
	return calls, n/bytesPerToken + len(r.Messages)
}

// bytesPerToken is a rule of thumb for English text.
const bytesPerToken = 4

func tokens(a Answer) int {
	n := len(a.Text) + len(a.Thinking)
	for _, c := range a.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n/bytesPerToken + 1
}
