package lockstep

import (
	"context"
	"errors"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/sim"
	"shelly/sim/scenario"
)

// model is a live model as a case asks it.
type model struct {
	client *ollama.Client
	embeds bool // there is an embedding model
	about  scenario.Live
}

// Model implements [sim.Backend].
func (l *live) Model(ask fsm.AskBrain, tools []fsm.ToolDecl) (sim.Spoken, error) {
	start := time.Now()
	var s sim.Spoken
	answer, err := l.model.client.Chat(context.Background(), ask, tools, func(c ollama.Chunk) {
		s.Pieces = append(s.Pieces, sim.LivePiece{Piece: sim.Piece{Thinking: c.Thinking, Text: c.Text}, After: sinceMillis(start)})
	})
	s.Took = sinceMillis(start)
	var failed *ollama.Error
	switch {
	case err == nil:
		answer.Call = ask.Call
		s.Answer = answer
	case errors.As(err, &failed):
		s.Answer = fsm.BrainFailed{Answered: fsm.To(ask.Call), Class: failed.Class, Reason: failed.Reason}
	default:
		return s, err
	}
	return s, nil
}

// sinceMillis is how long ago that was.
func sinceMillis(start time.Time) fsm.Millis { return fsm.Millis(time.Since(start).Milliseconds()) }

// embed asks the embedding model, if there is one.
func (m *model) embed(e fsm.Embed) fsm.Fact {
	if !m.embeds {
		return fsm.Embedded{Answered: fsm.To(e.Call), Error: "there is no embedding model"}
	}
	vector, name, err := m.client.Embed(context.Background(), e.Text)
	if err != nil {
		return fsm.Embedded{Answered: fsm.To(e.Call), Error: err.Error()}
	}
	return fsm.Embedded{Answered: fsm.To(e.Call), Vector: vector, Model: name}
}

// vector is a text's vector and the model that made it; without one the text is found
// by its words alone.
func (m *model) vector(text string) (vector []byte, name string) {
	if m.embeds {
		vector, name, _ = m.client.Embed(context.Background(), text)
	}
	if vector == nil {
		name = ""
	}
	return vector, name
}
