package doctor

import (
	"context"
	"net/http/httptest"
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/memory"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
	"shelly/sim/server"
)

func TestMEM11DoctorSaysWhenVectorsAreMade(t *testing.T) {
	for _, c := range []struct {
		name    string
		keeps   int // models that the server keeps loaded
		brain   config.Brain
		spare   bool
		embed   string
		running *comm.Status
		measure bool
		level   string
		says    string
	}{
		{name: "it is off", brain: config.Brain{EmbedModel: "none"}, spare: true, level: "ok", says: "off (brain.embed_model is none)"},
		{name: "there is none", spare: true, level: "warn", says: "shelly model pull"},
		{name: "the chat model", spare: true, embed: mock.DefaultModel, level: "ok", says: "in the conversation's slot, so entries are embedded once the model was idle"},
		{name: "the chat model with two slots", brain: config.Brain{Slots: 2}, spare: true, embed: mock.DefaultModel, level: "ok", says: "in another slot than the conversation's"},
		{name: "at once", embed: mock.DefaultEmbedModel, level: "ok", says: "embedded at once (switches.spare_model is false)"},
		{name: "not known", keeps: 1, spare: true, embed: mock.DefaultEmbedModel, level: "ok", says: "is not known, and until it is"},
		{name: "one", keeps: 1, spare: true, embed: mock.DefaultEmbedModel, measure: true, level: "ok", says: `OLLAMA_MAX_LOADED_MODELS=2 if its memory has room for both models, or put into the configuration: brain: {embed_model: "` + mock.DefaultModel + `"}`},
		{name: "both", keeps: 2, spare: true, embed: mock.DefaultEmbedModel, measure: true, level: "ok", says: "keeps both models loaded, so it is asked at once"},
		{
			name: "the daemon knows", keeps: 1, spare: true, embed: mock.DefaultEmbedModel, level: "ok", says: "keeps both models loaded",
			running: &comm.Status{Memory: &memory.Counts{Model: mock.DefaultEmbedModel}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			machine := server.Config{Models: c.keeps, Slots: 1}
			s := httptest.NewServer(mock.New(mock.Options{Machine: &machine, Brain: hello{}, EmbedDims: 8}))
			defer s.Close()
			client, err := ollama.New(ollama.Options{BaseURL: s.URL, Model: mock.DefaultModel, EmbedModel: c.embed})
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			e := &examined{
				examination: &examination{}, client: client, name: mock.DefaultModel, embed: c.embed,
				cfg: config.Config{Brain: c.brain, Switches: fsm.Switches{SpareModel: c.spare}},
			}
			e.embedding(t.Context(), c.embed, c.running, c.measure)
			wantFinding(t, e, c.level, "embedding", c.says)
		})
	}
}

// hello is a model with one answer.
type hello struct{}

func (hello) Answer(context.Context, mock.Question) (mock.Answer, error) {
	return mock.Answer{Text: "hello"}, nil
}
