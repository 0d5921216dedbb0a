package brain

import (
	"context"
	"strings"
	"testing"

	"shelly/runtime/ollama"
)

// oneModel is a server that keeps a limited number of models loaded.
type oneModel struct {
	slowLoader
	keeps  int
	loaded []string // most recently used last
}

func (m *oneModel) use(name string) {
	m.loaded = append(m.loaded, name)
	m.loaded = m.loaded[max(0, len(m.loaded)-m.keeps):]
}

func (m *oneModel) Preload(context.Context) error {
	m.use("qwen3:8b")
	return nil
}

func (m *oneModel) Embed(context.Context, string) ([]byte, string, error) {
	m.use("embed:latest")
	return nil, "embed", nil
}

func (m *oneModel) Loaded(context.Context) ([]ollama.Loaded, error) {
	var list []ollama.Loaded
	for _, name := range m.loaded {
		list = append(list, ollama.Loaded{Name: name})
	}
	return list, nil
}

func TestBRN33WhetherBothModelsStayLoadedIsTried(t *testing.T) {
	for _, c := range []struct {
		keeps   int
		apart   bool
		loaded  string // afterwards
		written string
	}{
		{keeps: 1, apart: true, loaded: "qwen3:8b", written: "the server keeps only one model loaded"},
		{keeps: 2, apart: false, loaded: "qwen3:8b embed:latest"},
	} {
		log, out := logged()
		m := &oneModel{keeps: c.keeps}
		o := &Ollama{}
		o.ready.Store(&chosen{chat: "qwen3:8b", embed: "embed"})
		if !o.Apart() {
			t.Error("before anything is known, the models do not count as apart")
		}
		p := &Preload{model: "qwen3:8b", client: m, embeds: m, keeps: &o.keeps, log: log}
		p.Run(t.Context())
		p.Together(t.Context())
		if got := strings.Join(m.loaded, " "); o.Apart() != c.apart || got != c.loaded || !strings.Contains(out.String(), c.written) {
			t.Errorf("a server that keeps %d models: apart %v, loaded %q, log %s", c.keeps, o.Apart(), got, out)
		}
	}
}

// asked is a server that gets another client's question for the chat model right after each
// embedding.
type asked struct{ *oneModel }

func (m asked) Embed(ctx context.Context, text string) ([]byte, string, error) {
	v, model, err := m.oneModel.Embed(ctx, text)
	m.use("qwen3:8b")
	return v, model, err
}

// A question that loads the chat model again while a word is embedded must not look like room
// for both models.
func TestBRN33AQuestionDuringTheAttemptDoesNotMislead(t *testing.T) {
	for keeps, apart := range map[int]bool{1: true, 2: false} {
		log, _ := logged()
		m := asked{&oneModel{keeps: keeps}}
		o := &Ollama{}
		o.ready.Store(&chosen{chat: "qwen3:8b", embed: "embed"})
		p := &Preload{model: "qwen3:8b", client: m, embeds: m, keeps: &o.keeps, log: log}
		p.Run(t.Context())
		p.Together(t.Context())
		if o.Apart() != apart {
			t.Errorf("a server that keeps %d models and gets a question meanwhile: apart %t", keeps, o.Apart())
		}
	}
}

func TestBRN33OneModelForBothTakesItsOwnSlot(t *testing.T) {
	for slots, apart := range map[int]bool{1: true, 2: false} {
		o := &Ollama{slots: slots}
		o.ready.Store(&chosen{chat: "qwen3:8b", embed: "qwen3:8b"})
		if o.Apart() != apart {
			t.Errorf("with %d slots embeddings wait: %t", slots, !apart)
		}
	}
}
