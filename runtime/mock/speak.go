package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"shelly/fsm"
	"shelly/runtime/clock"
)

// line is one line of a streamed answer, or a whole answer.
type line struct {
	Model      string    `json:"model"`
	CreatedAt  time.Time `json:"created_at"`
	Message    spoken    `json:"message"`
	Done       bool      `json:"done"`
	DoneReason string    `json:"done_reason,omitempty"`
	*counts
}

type spoken struct {
	Role      fsm.Role `json:"role"`
	Content   string   `json:"content"`
	Thinking  string   `json:"thinking,omitempty"`
	ToolCalls []call   `json:"tool_calls,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Function function `json:"function"`
}

type function struct {
	Index     int             `json:"index"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// counts are the figures in a last line. Durations are in nanoseconds.
type counts struct {
	TotalDuration      time.Duration `json:"total_duration"`
	LoadDuration       time.Duration `json:"load_duration"`
	PromptEvalCount    int           `json:"prompt_eval_count"`
	PromptEvalCached   int           `json:"prompt_eval_cached_count"` // those of them that were not read anew
	PromptEvalDuration time.Duration `json:"prompt_eval_duration"`
	EvalCount          int           `json:"eval_count"`
	EvalDuration       time.Duration `json:"eval_duration"`
}

// ending is what only the last line has.
type ending struct {
	reason string
	text   string // the text of the whole answer
	*counts
}

// form is how an API writes its lines.
type form interface {
	// line returns a line of s; end is nil for all but the last.
	line(s *speaker, m spoken, end *ending) any
}

// chatForm is the form of /api/chat.
type chatForm struct{}

func (chatForm) line(s *speaker, m spoken, end *ending) any {
	m.Role = fsm.RoleAssistant
	l := line{Model: s.model, CreatedAt: time.Now().UTC(), Message: m}
	if end != nil {
		l.Done, l.DoneReason, l.counts = true, end.reason, end.counts
	}
	return l
}

// speaker sends one answer.
type speaker struct {
	w     http.ResponseWriter
	began time.Time
	first time.Time // when the first piece came
	// The times that the machine takes, and when it has written its answer; 0 without a machine.
	loading, reading, writing time.Duration
	written                   time.Time
	cached                    int // tokens of the prompt that the machine had not to read
	model                     string
	asked                     *chatRequest
	form                      form
}

func (s *speaker) line(m spoken, end *ending) any { return s.form.line(s, m, end) }

// stream sends an answer line by line, flushing each.
func (s *speaker) stream(ctx context.Context, a Answer) {
	s.w.Header().Set("Content-Type", "application/x-ndjson")
	if !a.Empty {
		for i, p := range a.pieces() {
			if i > 0 && a.Every > 0 && clock.Pause(ctx, a.Every) != nil {
				return
			}
			s.say(spoken{Thinking: p.Thinking, Content: p.Text})
		}
		if clock.Pause(ctx, time.Until(s.written)) != nil { // writing the calls takes time, too
			return
		}
		for _, c := range s.calls(a) {
			s.say(spoken{ToolCalls: []call{c}})
		}
	}
	switch {
	case a.Hang:
		<-ctx.Done()
	case a.Error != "":
		s.send(encode(failed{a.Error}))
	case a.Garbage != "":
		s.send([]byte(a.Garbage + "\n"))
	case a.Cut:
		s.send(nil)
	default:
		s.send(encode(s.last(a, spoken{})))
	}
}

// whole sends an answer as one object once all of it is written. Failures that break a stream break
// the response instead.
func (s *speaker) whole(ctx context.Context, a Answer) {
	paced := time.Duration(max(len(a.pieces())-1, 0)) * a.Every
	if clock.Pause(ctx, max(paced, time.Until(s.written))) != nil {
		return
	}
	switch {
	case a.Hang:
		<-ctx.Done()
		return
	case a.Error != "":
		refuse(s.w, http.StatusInternalServerError, a.Error)
		return
	case a.Garbage != "":
		_, _ = io.WriteString(s.w, a.Garbage)
		return
	case a.Cut:
		panic(http.ErrAbortHandler) // the way to drop a connection; the server does not log it
	}
	var m spoken
	if !a.Empty {
		m = spoken{Content: a.Text, Thinking: a.Thinking, ToolCalls: s.calls(a)}
	}
	reply(s.w, http.StatusOK, s.last(a, m))
}

func (s *speaker) say(m spoken) { s.send(encode(s.line(m, nil))) }

func (s *speaker) send(b []byte) {
	_, _ = s.w.Write(b)
	_ = http.NewResponseController(s.w).Flush()
}

func (s *speaker) last(a Answer, m spoken) any {
	now := time.Now()
	end := ending{reason: "stop", text: a.Text, counts: &counts{
		TotalDuration: now.Sub(s.began), LoadDuration: max(s.loading, 1),
		PromptEvalCount: a.PromptTokens, PromptEvalCached: min(s.cached, a.PromptTokens), PromptEvalDuration: s.evaluated(),
		EvalCount: tokens(a), EvalDuration: max(s.writing, now.Sub(s.first), 1),
	}}
	if a.Length {
		end.reason = "length"
	}
	return s.line(m, &end)
}

// evaluated returns how long it took to read the prompt.
func (s *speaker) evaluated() time.Duration {
	if s.reading > 0 {
		return s.reading
	}
	return max(s.first.Sub(s.began), 1)
}

// calls returns the answer's calls in wire form. Arguments that are not an object are sent as a
// string, as by servers that do not parse them.
func (s *speaker) calls(a Answer) []call {
	n := 0
	for _, m := range s.asked.Messages {
		n += len(m.ToolCalls)
	}
	var calls []call
	for i, c := range a.Calls {
		args := json.RawMessage(c.Args)
		if trimmed := bytes.TrimSpace(args); !json.Valid(args) || trimmed[0] != '{' {
			args = bytes.TrimSpace(encode(c.Args))
		}
		id := c.ID
		if id == "" {
			id = "call_" + strconv.Itoa(n+i+1)
		}
		calls = append(calls, call{ID: id, Function: function{Index: i, Name: c.Name, Arguments: args}})
	}
	return calls
}
