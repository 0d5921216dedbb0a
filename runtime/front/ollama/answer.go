package ollama

import (
	"net/http"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/failpoint"
	"shelly/runtime/front/stream"
)

// part is a part of an answer.
type part struct {
	model    string
	at       time.Time
	text     string
	thinking string
	end      *ending // only in the last part
}

// ending is what only the last part has. Durations are in nanoseconds.
type ending struct {
	reason         string
	took           time.Duration
	prompt, answer int
}

// form turns a part into the value that a path writes.
type form func(part) any

func (e *ending) metrics() api.Metrics {
	return api.Metrics{TotalDuration: e.took, PromptEvalCount: e.prompt, EvalCount: e.answer}
}

func chatForm(p part) any {
	l := api.ChatResponse{Model: p.model, CreatedAt: p.at, Message: api.Message{Role: "assistant", Content: p.text, Thinking: p.thinking}}
	if p.end != nil {
		l.Done, l.DoneReason, l.Metrics = true, p.end.reason, p.end.metrics()
	}
	return l
}

func generateForm(p part) any {
	l := api.GenerateResponse{Model: p.model, CreatedAt: p.at, Response: p.text, Thinking: p.thinking}
	if p.end != nil {
		l.Done, l.DoneReason, l.Metrics = true, p.end.reason, p.end.metrics()
	}
	return l
}

// ask submits a request, and answers with its reply.
func (f *Front) ask(w http.ResponseWriter, r *http.Request, a asking) error {
	release, err := comm.Place(r.Context()) // before the acceptance: "busy" means that nothing has happened
	if err != nil {
		return err
	}
	defer release()
	accepted, err := f.accept(r, a.request)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.HTTPAccepted)
	known := accepted.Request
	s := &speech{front: f, r: r, asked: a, known: known}
	if !a.whole {
		return s.stream(w, comm.From(accepted, nil))
	}
	var after *position.Position // a client that wants no thinking needs only the reply
	if !a.silent {
		after = comm.From(accepted, nil)
	}
	var thoughts strings.Builder
	reply, replied, err := stream.Wait(r.Context(), w, f.front, known.Key, after, f.o.Stream, func(e comm.Event) {
		for _, p := range s.text.Heard(e) {
			if !a.silent {
				thoughts.WriteString(p.Thinking)
			}
		}
	})
	if err != nil || !replied {
		return unanswered(err)
	}
	if reply.IsError {
		return &Error{http.StatusInternalServerError, reply.Text}
	}
	failpoint.Hit(failpoint.HTTPReplyBefore)
	defer failpoint.Hit(failpoint.HTTPReplyAfter)
	return comm.JSON(w, http.StatusOK, a.form(part{model: a.model, at: moment(known.Accepted), text: reply.Text, thinking: thoughts.String(), end: s.end(reply)}))
}

// unanswered is the error if there is no reply: err, or, if it is nil, that the request is kept (FRT-6).
func unanswered(err error) error {
	if err != nil {
		return err
	}
	return &comm.Problem{Code: comm.CodeStopping, Message: "shelly is stopping", Hint: "the request is kept and done after the next start; with the same " + keyHeader + " it is answered then"}
}

func moment(at fsm.Millis) time.Time { return time.UnixMilli(int64(at)).UTC() }

// speech streams an answer in lines.
type speech struct {
	front *Front
	r     *http.Request
	asked asking
	known engine.Request
	out   *stream.Writer
	text  stream.Text
	begun bool // some text was sent
}

// stream sends lines from a position up to the reply, as FRT-11 says. Lines without text keep an idle stream
// alive, because an empty line would be an error to some clients.
func (s *speech) stream(w http.ResponseWriter, after *position.Position) error {
	s.out = stream.Begin(w, s.front.o.Stream, "application/x-ndjson")
	defer s.out.End()
	beat, err := line(s.asked.form(part{model: s.asked.model, at: moment(s.known.Accepted)}))
	if err != nil {
		return err
	}
	replied, err := s.out.Follow(s.r.Context(), s.front.front, s.known.Key, after, beat, s.heard)
	if !replied {
		_ = s.write(errorBody{comm.ProblemOf(unanswered(err)).Sentence()})
	}
	return nil
}

func (s *speech) heard(e comm.Event) error {
	if e.Type == comm.EventReply {
		failpoint.Hit(failpoint.HTTPReplyBefore)
		defer failpoint.Hit(failpoint.HTTPReplyAfter)
		if e.IsError {
			return s.write(errorBody{e.Text})
		}
	}
	if s.asked.silent {
		e.Thinking = ""
	}
	for _, p := range s.text.Heard(e) {
		if p.Text == "" && p.Thinking == "" {
			continue
		}
		if p.Text != "" && p.From == 0 && s.begun {
			p.Text = "\n\n" + p.Text
		}
		s.begun = s.begun || p.Text != ""
		if err := s.part(part{text: p.Text, thinking: p.Thinking}); err != nil {
			return err
		}
	}
	switch {
	case e.Type == comm.EventQuestion && !s.asked.silent:
		return s.part(part{thinking: stream.Asked(s.known.Key, e)})
	case e.Decision != nil && !s.asked.silent:
		return s.part(part{thinking: stream.Decided(e)})
	case e.Type == comm.EventReply:
		return s.part(part{end: s.end(e)})
	}
	return nil
}

func (s *speech) part(p part) error {
	p.model, p.at = s.asked.model, time.Now().UTC()
	return s.write(s.asked.form(p))
}

func (s *speech) write(v any) error {
	text, err := line(v)
	if err != nil {
		return err
	}
	return s.out.Write(text)
}

// end returns why the answer ended, and what it took.
func (s *speech) end(reply comm.Event) *ending {
	e := &ending{reason: "stop", took: time.Since(moment(s.known.Accepted))}
	if s.known.Done { // it was answered before
		e.took = moment(s.known.Replied).Sub(moment(s.known.Accepted))
	}
	if reply.Outcome == fsm.OutcomeCut {
		e.reason = "length"
	}
	if s.front.o.Tokens != nil {
		e.prompt, e.answer, _ = s.front.o.Tokens(s.r.Context(), s.known.Key) // on an error they stay 0
	}
	return e
}
