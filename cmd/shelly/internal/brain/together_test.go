package brain

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"shelly/runtime/mock"
	"shelly/runtime/ollama"
)

// oneModel is a server that keeps a limited number of models loaded.
type oneModel struct {
	slowLoader
	keeps  int
	loaded []string // most recently used last
}

func (m *oneModel) use(name string) {
	m.loaded = append(slices.DeleteFunc(m.loaded, func(l string) bool { return l == name }), name)
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

// A model that was loaded before the start may have a conversation in its cache, which the test would cost on a
// server that keeps one model.
func TestBRN33AModelThatWasLoadedIsNotPutOut(t *testing.T) {
	for before, apart := range map[string]bool{"qwen3:8b": true, "embed:latest qwen3:8b": false} {
		log, out := logged()
		m := &oneModel{keeps: 2, loaded: strings.Fields(before)}
		o := &Ollama{}
		o.ready.Store(&chosen{chat: "qwen3:8b", embed: "embed"})
		p := &Preload{model: "qwen3:8b", client: m, embeds: neverEmbeds{t}, spare: "embed", keeps: &o.keeps, log: log}
		p.Run(t.Context())
		p.Together(t.Context())
		if o.Apart() != apart || strings.Contains(out.String(), "only one") {
			t.Errorf("%s loaded before: apart %t, log %s", before, o.Apart(), out)
		}
	}
}

type neverEmbeds struct{ t *testing.T }

func (n neverEmbeds) Embed(context.Context, string) ([]byte, string, error) {
	n.t.Error("a word is embedded")
	return nil, "", nil
}

// What the test has not found, an embedding shows: both models are loaded after it (BRN-33).
func TestBRN33AnEmbeddingShowsThatBothModelsStayLoaded(t *testing.T) {
	server := httptest.NewServer(mock.New(mock.Options{Brain: says("hello"), EmbedDims: 8}))
	defer server.Close()
	client, err := ollama.New(ollama.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	o := &Ollama{Client: client}
	for _, asks := range []struct {
		chat  bool
		apart bool
	}{{false, true}, {true, false}} {
		if c, err := o.current(t.Context()); err != nil {
			t.Fatal(err)
		} else if asks.chat {
			if err := c.client.Preload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := o.Embed(t.Context(), "disk"); err != nil {
			t.Fatal(err)
		}
		if o.Apart() != asks.apart {
			t.Errorf("chat model loaded %t: apart %t", asks.chat, o.Apart())
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
