package lockstep

import (
	"context"
	"errors"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/ollama"
	"shelly/sim"
	"shelly/sim/scenario"
	"shelly/sim/script"
)

// model is a live model that a case asks.
type model struct {
	client *ollama.Client
	embeds bool // the server has an embedding model
	about  scenario.Live
}

// Model implements [sim.Backend].
func (l *live) Model(ask fsm.AskBrain, tools []fsm.ToolDecl) (sim.Spoken, error) {
	start := time.Now()
	var s sim.Spoken
	answer, err := l.model.client.Chat(context.Background(), ask, tools, func(c ollama.Chunk) {
		if c.Stage != "" {
			return
		}
		s.Pieces = append(s.Pieces, sim.LivePiece{Piece: script.Piece{Thinking: c.Thinking, Text: c.Text}, After: sinceMillis(start)})
	})
	s.Took = sinceMillis(start)
	if failed := (*ollama.Error)(nil); err != nil && !errors.As(err, &failed) {
		return s, err
	}
	s.Answer = engine.Outcome(ask.Call).Brain(answer, err)
	return s, nil
}

// sinceMillis returns the time since start.
func sinceMillis(start time.Time) fsm.Millis { return fsm.Millis(time.Since(start).Milliseconds()) }

// embed asks the embedding model, if there is one.
func (m *model) embed(e fsm.Embed) fsm.Fact {
	if !m.embeds {
		return engine.Outcome(e.Call).Embed(nil, "", engine.ErrNoEmbedder)
	}
	vector, name, err := m.client.Embed(context.Background(), e.Text)
	return engine.Outcome(e.Call).Embed(vector, name, err)
}

// vector returns a text's vector and the name of the model that made it; without a model the
// text is found by its words alone.
func (m *model) vector(text string) (vector []byte, name string) {
	if m.embeds {
		vector, name, _ = m.client.Embed(context.Background(), text)
	}
	if vector == nil {
		name = ""
	}
	return vector, name
}
