package openai

import (
	"net/http"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/failpoint"
	"shelly/runtime/front/stream"
)

// chunking streams a chat's answer.
type chunking struct {
	front *Front
	r     *http.Request
	chat  chatting
	known engine.Request
	out   *stream.Writer
	text  stream.Text
	begun bool // some text was sent
}

// streamChat sends chunks from a position up to the reply. What was sent cannot be withdrawn: a text of
// another model call, or a reply that differs, comes as a new paragraph after it, so that the
// reply is always the end of what was sent (FRT-11).
func (f *Front) streamChat(w http.ResponseWriter, r *http.Request, c chatting, known engine.Request, after *position.Position) error {
	s := &chunking{front: f, r: r, chat: c, known: known, out: stream.Begin(w, f.o.Stream, eventStream)}
	defer s.out.End()
	empty := ""
	if s.send(choice{Delta: &said{Role: "assistant", Content: &empty}}) != nil {
		return nil // the client has gone; the request continues (FRT-6)
	}
	replied, err := s.out.Follow(r.Context(), f.front, known.Key, after, beat, s.heard)
	if !replied {
		s.cut(err)
	}
	return nil
}

// cut sends an event that says why a stream ends without the reply. Otherwise a client would
// take what it has for the answer.
func (s *chunking) cut(err error) {
	p := comm.ProblemOf(unanswered(err))
	_ = s.write(worded(p, p.Code.Status()))
}

func (s *chunking) heard(e comm.Event) error {
	if e.Type == comm.EventReply {
		failpoint.Hit(failpoint.HTTPReplyBefore)
		defer failpoint.Hit(failpoint.HTTPReplyAfter)
		if fault := failure(e); fault != nil {
			return s.write(fault.body())
		}
	}
	for _, p := range s.text.Heard(e) {
		if err := s.piece(p); err != nil {
			return err
		}
	}
	switch e.Type {
	case comm.EventQuestion:
		return s.send(choice{Delta: &said{Reasoning: stream.Asked(s.known.Key, e)}})
	case comm.EventState:
		if e.Decision != nil {
			return s.send(choice{Delta: &said{Reasoning: stream.Decided(e)}})
		}
	case comm.EventReply:
		return s.end(e)
	}
	return nil
}

func (s *chunking) piece(p stream.Piece) error {
	if p.Thinking != "" {
		if err := s.send(choice{Delta: &said{Reasoning: p.Thinking}}); err != nil {
			return err
		}
	}
	if p.Text == "" {
		return nil
	}
	if p.From == 0 && s.begun {
		p.Text = "\n\n" + p.Text
	}
	s.begun = true
	return s.send(choice{Delta: &said{Content: &p.Text}})
}

// end sends why the answer ended, its usage if asked for, and the end mark.
func (s *chunking) end(reply comm.Event) error {
	reason := finish(reply)
	if err := s.send(choice{Delta: &said{}, FinishReason: &reason}); err != nil {
		return err
	}
	if s.chat.usage {
		last := chatBody(s.chat, s.known, "chat.completion.chunk")
		last.Choices, last.Usage = []choice{}, s.front.usage(s.r, s.known.Key)
		if err := s.write(last); err != nil {
			return err
		}
	}
	return s.out.Write([]byte("data: [DONE]\n\n"))
}

func (s *chunking) send(c choice) error {
	chunk := chatBody(s.chat, s.known, "chat.completion.chunk")
	chunk.Choices = []choice{c}
	if s.chat.usage {
		chunk.Usage = (*usage)(nil) // it comes in a chunk of its own at the end
	}
	return s.write(chunk)
}

func (s *chunking) write(v any) error {
	text, err := event("", v)
	if err != nil {
		return err
	}
	return s.out.Write(text)
}
