package mock

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/runtime/clock"
	"shelly/runtime/ollama"
	"shelly/sim/server"
)

// chatRequest is the part of a chat request that the server reads.
type chatRequest struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	asked
}

type chatMessage struct {
	Role       string   `json:"role"`
	Content    string   `json:"content"`
	Thinking   string   `json:"thinking"`
	Images     [][]byte `json:"images"`
	ToolName   string   `json:"tool_name"`
	ToolCallID string   `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string   `json:"name"`
			Arguments sentBack `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// sentBack are the arguments of a call in a conversation. A real server reads only an object.
type sentBack json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (s *sentBack) UnmarshalJSON(b []byte) error {
	*s = append((*s)[:0], b...)
	return new(api.ToolCallFunctionArguments).UnmarshalJSON(b)
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	if !decode(w, r, &req, new(api.ChatRequest)) {
		return
	}
	m, ok := s.speaking(w, req.Model, "chat")
	switch {
	case !ok:
	case len(req.Messages) == 0:
		s.onlyLoad(w, r, m, &req, chatForm{})
	default:
		s.answer(w, r, m, &req, chatForm{})
	}
}

// speaking returns the model to use, which must be able to do what, or refuses the request.
func (s *Server) speaking(w http.ResponseWriter, name, what string) (Model, bool) {
	m, ok := s.model(name)
	switch {
	case ok:
	case s.isEmbed(name):
		refuse(w, http.StatusBadRequest, `"`+name+`" does not support `+what)
	default:
		missing(w, name)
	}
	return m, ok
}

// answer lets the brain answer a request, and sends the answer in the form of the API that was
// called.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, m Model, req *chatRequest, form form) {
	began := time.Now()
	opt, status, text := req.refused(m, len(req.Tools) > 0, s.opt.NumCtx)
	if status != 0 {
		refuse(w, status, text)
		return
	}
	numCtx := s.window(opt, m.window())
	q, left, fits := s.fitted(req, req.question(r.Header, opt), numCtx)
	if !fits {
		refuseLate(w, req.streams(), http.StatusBadRequest, req.tooLong(numCtx))
		return
	}
	prompt := left.tokens()
	if s.opt.Limits {
		prompt = min(prompt, numCtx)
	}
	note(w, req.Model, len(req.Tools), prompt)
	s.load(req.Model, numCtx, req.KeepAlive)
	if req.KeepAlive != nil && req.KeepAlive.Duration == 0 {
		defer s.unload(req.Model)
	}
	a, ok := s.thought(w, r, q)
	if !ok {
		return
	}
	a.PromptTokens = cmp.Or(a.PromptTokens, prompt)
	a = a.thoughtful(req.thinks())
	if s.opt.Limits {
		a = req.shaped(a, opt.Stop)
		a = a.cut(room(opt, numCtx, a.PromptTokens, req.Shift))
	}
	out := speaker{w: w, began: began, model: req.Model, asked: req, form: form}
	if s.machine != nil {
		served, over, ok := s.machine.ask(r.Context(), server.Call{
			Model: full(req.Model), Prompt: left.rendered(), Answer: server.Written(a.Thinking, a.Text, a.Calls),
		})
		defer over()
		if !ok {
			return
		}
		out.cached = served.Prompt - served.Read
		out.loading = s.machine.at(served.Loaded).Sub(s.machine.at(served.Begun))
		out.reading = s.machine.at(served.First).Sub(s.machine.at(served.Loaded))
		out.written = s.machine.at(served.Last)
		out.writing = out.written.Sub(s.machine.at(served.First))
		a = s.machine.paced(a)
	}
	out.first = time.Now()
	if req.streams() {
		out.stream(r.Context(), a)
	} else {
		out.whole(r.Context(), a)
	}
}

// window returns the window that a request gets, of a model whose longest is most.
func (s *Server) window(opt api.Options, most int) int {
	if s.machine != nil && s.machine.config.Window > 0 {
		most = min(most, s.machine.config.Window)
	}
	return min(opt.NumCtx, most)
}

// fitted returns the question and the request as they fit in a window, and false if they do not fit
// and may not be cut.
func (s *Server) fitted(req *chatRequest, q Question, window int) (_ Question, left *chatRequest, ok bool) {
	if !s.opt.Limits {
		return q, req, true
	}
	q.Dropped, left = req.fit(window)
	switch tooLong := left.tokens() > window; {
	case !req.truncates():
		return q, left, q.Dropped == 0 && !tooLong
	default:
		return q, left, !tooLong || req.slides()
	}
}

// thought returns the brain's answer, or false if the client was refused or has left.
func (s *Server) thought(w http.ResponseWriter, r *http.Request, q Question) (a Answer, ok bool) {
	if s.opt.Brain == nil {
		refuse(w, http.StatusNotImplemented, "the mock server has no brain")
		return a, false
	}
	a, err := s.opt.Brain.Answer(r.Context(), q)
	if err != nil {
		refuse(w, http.StatusNotImplemented, err.Error())
		return a, false
	}
	if a.Delay > 0 && clock.Pause(r.Context(), a.Delay) != nil {
		return a, false
	}
	if a.Status == 0 || a.Status == http.StatusOK {
		return a, true
	}
	if a.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.RetryAfter.Seconds()))))
	}
	refuse(w, a.Status, a.Error)
	return a, false
}

// onlyLoad answers a request without messages: it loads the model, or unloads it if the request
// says not to keep it.
func (s *Server) onlyLoad(w http.ResponseWriter, r *http.Request, m Model, req *chatRequest, form form) {
	reason := "load"
	if req.KeepAlive != nil && req.KeepAlive.Duration == 0 {
		reason = "unload"
		s.unload(req.Model)
	} else {
		req.Format = nil // only an answer has one
		opt, status, text := req.refused(m, len(req.Tools) > 0, s.opt.NumCtx)
		if status != 0 {
			refuse(w, status, text)
			return
		}
		if s.machine != nil {
			_, over, ok := s.machine.ask(r.Context(), server.Call{Model: full(req.Model), Loads: true})
			over()
			if !ok {
				return
			}
		}
		s.load(req.Model, s.window(opt, m.window()), req.KeepAlive)
	}
	out := speaker{model: req.Model, form: form}
	reply(w, http.StatusOK, out.line(spoken{}, &ending{reason: reason}))
}

func (r *chatRequest) question(h http.Header, opt api.Options) Question {
	q := Question{
		Purpose:     cmp.Or(h.Get(ollama.PurposeHeader), string(fsm.PurposeAnswer)),
		NumPredict:  r.asks("num_predict", opt.NumPredict),
		Temperature: r.temperature(),
	}
	if session, err := url.QueryUnescape(h.Get(ollama.SessionHeader)); err == nil {
		q.Session = session
	}
	for i, m := range r.Messages {
		if i == 0 && m.Role == string(fsm.RoleSystem) {
			q.System = m.Content
			continue
		}
		q.Messages = append(q.Messages, m.message())
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, t.Function.Name)
	}
	return q
}

func (m *chatMessage) message() fsm.Message {
	msg := fsm.Message{
		Role: fsm.Role(m.Role), Text: m.Content, Thinking: m.Thinking, Images: m.Images,
		Tool: m.ToolName, ToolCall: m.ToolCallID,
	}
	for _, c := range m.ToolCalls {
		msg.Calls = append(msg.Calls, fsm.ToolCall{ID: c.ID, Name: c.Function.Name, Args: string(c.Function.Arguments)})
	}
	return msg
}
