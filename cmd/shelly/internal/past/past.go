// Package past tells the daemon's listener what happened to a request. It is needed because
// packages of runtime must not import those that look back.
package past

import (
	"context"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/front/openai"
	"shelly/sim/history"
)

// Told returns what happened to a request, as far as the journal has it, with the listener's own
// type of step.
func Told(j engine.Reader, key fsm.RequestKey) (comm.Past[comm.Step], error) {
	h, err := history.Rest(j, key)
	told := comm.Past[comm.Step]{Request: h.Request, Handles: h.Handles, Ended: h.Ended, Lost: h.Lost}
	for _, s := range h.Steps {
		told.Steps = append(told.Steps, s)
	}
	return told, err
}

// spokenTime bounds the search for what a model has said.
const spokenTime = 10 * time.Second

// Spoken returns what the model said in a request and how many tokens it took, as the front for
// OpenAI's API needs it. If its beginning is no longer kept, the error is engine.ErrTrimmed.
func Spoken(ctx context.Context, recorded func(context.Context) (engine.Reader, error), key fsm.RequestKey) (openai.Past, error) {
	ctx, cancel := context.WithTimeout(ctx, spokenTime)
	defer cancel()
	j, err := recorded(ctx)
	if err != nil {
		return openai.Past{}, err
	}
	h, err := history.Of(comm.Ending(ctx, j), key)
	if err != nil {
		return openai.Past{}, err
	}
	return spoken(h), nil
}

// spoken returns what the model said in the steps of a request, and what a person was asked about it,
// which is told of each question once: it is asked again at each start.
func spoken(h history.History) openai.Past {
	cost := history.CostOf(h.Steps, h.Handles)
	p := openai.Past{Prompt: cost.Prompt, Answer: cost.Answer}
	if cost.Uncounted == 0 {
		p.Cached = cost.Prompt - cost.Read
	}
	answers, asked := map[fsm.CallID]bool{}, map[string]bool{}
	for _, s := range h.Steps {
		in, ok := s.Input.Fact.(fsm.BrainAnswered)
		if ok && s.About && answers[in.Call] && in.Text != "" {
			said := openai.Spoken{Epoch: s.Epoch, Call: in.Call, Text: in.Text}
			if p.Last = said; len(in.Calls) > 0 {
				p.Beside = append(p.Beside, said)
			}
		}
		for _, e := range s.Effects {
			if ask, ok := e.(fsm.AskBrain); ok && ask.Purpose == fsm.PurposeAnswer && ask.Handle == h.Request.Handle {
				answers[ask.Call] = true
			}
			if ask, ok := e.(fsm.AskPerson); ok && ask.Handle == h.Request.Handle && !asked[ask.Key] {
				asked[ask.Key] = true
				p.Asked = append(p.Asked, questionAfter(p.Beside, ask))
			}
		}
	}
	return p
}

// questionAfter returns a question with its place: after the last text that the model has said.
func questionAfter(said []openai.Spoken, ask fsm.AskPerson) openai.Question {
	q := openai.Question{Key: ask.Key, Tool: ask.Tool, Args: ask.Args}
	if n := len(said); n > 0 {
		q.After = said[n-1].Call
	}
	return q
}
