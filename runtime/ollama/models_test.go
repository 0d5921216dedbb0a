package ollama_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestTheVersionIsRead(t *testing.T) {
	got, err := client(t, playing(t, "version"), nil).Version(testContext(t))
	if err != nil || got != "0.17.4" {
		t.Errorf("got %q, %v; want %q", got, err, "0.17.4")
	}
}

func TestModelsAreListed(t *testing.T) {
	got, err := client(t, playing(t, "tags"), nil).Models(testContext(t))
	if err != nil || len(got) != 4 {
		t.Fatalf("got %+v, %v; want 4 of them", got, err)
	}
	want := ollama.Model{
		Name: "brain:latest", Size: 3678962, Digest: "75b99bccfa16c2fb412078669da7db30a4aebd1ffd589e4cf2634139ea2a7987",
		Family: "llama", Parameters: "894K", Quantization: "unknown",
	}
	same(t, want, got[0])
}

func TestAModelIsShown(t *testing.T) {
	for name, want := range map[string]ollama.Capabilities{
		"show-chat":  {Completion: true, Tools: true, ContextLength: 131072},
		"show-embed": {Embedding: true, ContextLength: 512},
	} {
		got, err := client(t, playing(t, name), nil).Show(testContext(t), "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		same(t, want, got)
	}
	_, err := client(t, playing(t, "show-unknown"), nil).Show(testContext(t), "ghost")
	wantClass(t, err, fsm.BrainMissingModel, "ollama pull ghost")
	_, err = client(t, playing(t, "unknown-path"), nil).Show(testContext(t), "ghost")
	wantClass(t, err, fsm.BrainError, "check the address")
	_, err = client(t, playing(t, "root"), nil).Models(testContext(t))
	wantClass(t, err, fsm.BrainGarbage)
}

func TestANameWithoutATagIsTheLatestModel(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"a", "a:latest", true},
		{"a", "a", true},
		{"a", "a:1b", false},
		{"a:1b", "a:1b", true},
		{"h:80/n/a", "h:80/n/a:latest", true},
		{"a", "b", false},
	} {
		if got := ollama.SameModel(tt.a, tt.b); got != tt.same {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}

// library returns a server with models, each given as "name: capability …".
func library(t *testing.T, models ...string) *httptest.Server {
	type model struct {
		Name       string `json:"name"`
		RemoteHost string `json:"remote_host,omitempty"`
	}
	var list []model
	can := map[string][]string{}
	for _, m := range models {
		name, capabilities, _ := strings.Cut(m, " = ")
		can[name] = strings.Fields(capabilities)
		l := model{Name: name}
		if strings.HasSuffix(name, "-cloud") {
			l.RemoteHost = "https://example.com"
		}
		list = append(list, l)
	}
	return server(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path == "/api/tags" {
			_ = json.NewEncoder(w).Encode(map[string]any{"models": list})
			return
		}
		var req struct{ Model string }
		if err := json.Unmarshal([]byte(body), &req); err != nil {
			t.Error(err)
		}
		if slices.Contains(can[req.Model], "broken") { // a file of it is missing
			w.WriteHeader(http.StatusInternalServerError)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": "open /models/blobs/sha256-1: no such file or directory"})
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"capabilities": can[req.Model]})
	})
}

func TestBRN10AModelIsChosenByWhatItCanDo(t *testing.T) {
	all := []string{
		"big-cloud = completion tools", "old:7b = completion", "small:4b = completion tools thinking",
		"large:8b = completion tools", "vec:latest = embedding", "vec2:latest = embedding",
	}
	tests := []struct {
		name              string
		models            []string
		wantChat, wantEmb string // configured
		gotChat, gotEmb   string
		missing           string
		fails             string // another error
	}{
		{name: "the first that can", models: all, gotChat: "small:4b", gotEmb: "vec:latest"},
		{name: "configured ones", models: all, wantChat: "old:7b", wantEmb: "vec2", gotChat: "old:7b", gotEmb: "vec2"},
		{name: "configured chat", models: all, wantChat: "large:8b", gotChat: "large:8b", gotEmb: "vec:latest"},
		{name: "no embedding model", models: all[:4], gotChat: "small:4b"},
		{name: "one that cannot be described", models: append([]string{"half:1b = broken"}, all...), gotChat: "small:4b", gotEmb: "vec:latest"},
		{name: "a configured chat model besides one that cannot be described", models: append([]string{"half:1b = broken"}, all[:4]...), wantChat: "large:8b", gotChat: "large:8b"},
		{name: "only one that cannot be described", models: []string{"half:1b = broken"}, fails: "no such file"},
		{name: "nothing installed", missing: "ollama pull"},
		{name: "nothing that can call tools", models: all[:2], missing: `no model that can call tools: run "ollama pull qwen3:4b" there, or set brain.model to old:7b, to which the tools are then described in the prompt`},
		{name: "configured chat missing", models: all, wantChat: "ghost", missing: `run "ollama pull ghost" there, or set brain.model to one that`},
		{name: "another tag", models: all, wantChat: "small", missing: "ollama pull small"},
		{name: "configured embedding missing", models: all, wantEmb: "ghost-e", missing: `run "ollama pull ghost-e" there, or set brain.embed_model to one that`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, library(t, tt.models...), nil).With(tt.wantChat, tt.wantEmb)
			chat, embed, err := c.Choose(testContext(t))
			if tt.missing != "" {
				wantClass(t, err, fsm.BrainMissingModel, tt.missing)
				return
			}
			if tt.fails != "" {
				wantClass(t, err, fsm.BrainError, tt.fails)
				return
			}
			if err != nil || chat != tt.gotChat || embed != tt.gotEmb {
				t.Errorf("%q, %q, %v; want %q, %q", chat, embed, err, tt.gotChat, tt.gotEmb)
			}
		})
	}
}

// An embedding model is refused as the chat model at the start; if the server does not say what a
// model can do, the model is accepted.
func TestBRN32AModelThatCannotChatIsReportedAtTheStart(t *testing.T) {
	models := []string{"vec:latest = embedding", "small:4b = completion tools", "old:1b = "}
	_, _, err := client(t, library(t, models...), nil).With("vec:latest", "").Choose(testContext(t))
	wantClass(t, err, fsm.BrainNoChat, `"vec:latest" cannot chat`, "brain.model")
	if chat, _, err := client(t, library(t, models...), nil).With("old:1b", "").Choose(testContext(t)); err != nil || chat != "old:1b" {
		t.Errorf("got %q, %v; want %q", chat, err, "old:1b")
	}
}

func TestEmbedGivesLittleEndianFloats(t *testing.T) {
	var body string
	s := server(t, func(w http.ResponseWriter, r *http.Request, b string) {
		body = b
		recorded(t, w, "embed-one")
	})
	vector, model, err := client(t, s, nil).Embed(testContext(t), "hello world")
	if err != nil || model != "e" || len(vector) != 4*128 {
		t.Fatalf("%d bytes, model %q, %v", len(vector), model, err)
	}
	if first := math.Float32frombits(binary.LittleEndian.Uint32(vector)); first != -0.14100283 {
		t.Errorf("the first number is %v", first)
	}
	if want := `{"model":"e","input":"hello world","keep_alive":"5m0s","options":{"num_ctx":8192}}`; body != want {
		t.Errorf("sent %s, want %s", body, want)
	}
}

// A server that cuts a long text at 510 tokens may find more in what is left, and refuses it then.
func TestMEM17OfATextThatIsTooLongTheBeginningIsEmbedded(t *testing.T) {
	var asked []int
	s := server(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		var req struct{ Input string }
		if err := json.Unmarshal([]byte(body), &req); err != nil {
			t.Error(err)
		}
		if asked = append(asked, len(req.Input)); len(req.Input) > 300 || !strings.HasPrefix(long, req.Input) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"input exceeds maximum context length and cannot be truncated further"}`)
			return
		}
		recorded(t, w, "embed-one")
	})
	vector, _, err := client(t, s, nil).Embed(testContext(t), long)
	if err != nil || len(vector) != 4*128 {
		t.Fatalf("%d bytes, %v; want a vector", len(vector), err)
	}
	same(t, []int{900, 450, 225}, asked)
}

var long = strings.Repeat("世界 ok", 100)

// Half of a text is asked for only if its length was the reason, and if there is a half.
func TestMEM17NothingElseIsAskedForAgain(t *testing.T) {
	for _, tt := range []struct{ text, reason string }{{long, "server busy"}, {"a", "input exceeds maximum context length"}} {
		asked := 0
		s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			asked++
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":%q}`, tt.reason)
		})
		if _, _, err := client(t, s, nil).Embed(testContext(t), tt.text); err == nil || asked != 1 {
			t.Errorf("%s: asked %d times, %v; want once", tt.reason, asked, err)
		}
	}
}

// BRN-7 and, in the last case, BRN-11.
func TestEmbedFailuresAreTyped(t *testing.T) {
	none := server(t, func(http.ResponseWriter, *http.Request, string) { t.Error("a request was sent") })
	_, _, err := client(t, none, nil).Embed(testContext(t), " \n")
	wantClass(t, err, fsm.BrainError, "no text")
	_, _, err = client(t, none, nil).With("m", "").Embed(testContext(t), "text")
	wantClass(t, err, fsm.BrainMissingModel, "keyword")

	_, _, err = client(t, playing(t, "embed-unknown-model"), nil).Embed(testContext(t), "text")
	wantClass(t, err, fsm.BrainMissingModel, "ollama pull e")
	for _, name := range []string{"embed-none", "embed-three"} {
		_, _, err = client(t, playing(t, name), nil).Embed(testContext(t), "text")
		wantClass(t, err, fsm.BrainGarbage, "embeddings for one text")
	}
	numbers := strings.Repeat("0,", 65_536)
	_, _, err = client(t, sending(t, `{"embeddings":[[`+numbers+`1]]}`), nil).Embed(testContext(t), "text")
	wantClass(t, err, fsm.BrainGarbage, "a vector of 65537 numbers; the most is 65536")
	vector, _, err := client(t, sending(t, `{"embeddings":[[`+numbers[2:]+`1]]}`), nil).Embed(testContext(t), "text")
	if err != nil || len(vector) != 4*65_536 {
		t.Errorf("%d bytes, %v", len(vector), err)
	}
	huge := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = fmt.Fprint(w, `{"model":"`)
		chunk := strings.Repeat("x", 1<<20)
		for range 65 {
			_, _ = io.WriteString(w, chunk)
		}
	})
	_, _, err = client(t, huge, nil).Embed(testContext(t), "text")
	wantClass(t, err, fsm.BrainGarbage, "too much")
}
