package mock_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// recorded reads what a real server answered.
func recorded(t *testing.T, name string) response {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "ollama", "testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(raw), "\n\n")
	first, second, _ := strings.Cut(head, "\n")
	status, err := strconv.Atoi(strings.Fields(first)[1])
	if err != nil {
		t.Fatal(err)
	}
	return response{status, strings.TrimPrefix(second, "Content-Type: "), body}
}

// shape returns the paths of the keys in each line of a body, line by line.
func shape(t *testing.T, body string, skip ...string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(body) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		var keys []string
		walk(v, "", &keys)
		slices.Sort(keys)
		keys = slices.DeleteFunc(slices.Compact(keys), func(k string) bool {
			return slices.ContainsFunc(skip, func(s string) bool { return strings.HasPrefix(k, s) })
		})
		lines = append(lines, strings.Join(keys, " "))
	}
	return lines
}

func walk(v any, path string, keys *[]string) {
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			*keys = append(*keys, path+"."+k)
			walk(below, path+"."+k, keys)
		}
	case []any:
		for _, below := range v {
			walk(below, path+"[]", keys)
		}
	}
}

const (
	hello      = `"messages":[{"role":"user","content":"hello"}]`
	twoTools   = `"tools":[{"type":"function","function":{"name":"list_dir"}},{"type":"function","function":{"name":"read_file"}}]`
	chatPath   = "/api/chat"
	defaultSay = "This is the scripted default answer of the handmade test model."
)

// textPieces is a text in n pieces.
func textPieces(n int) []mock.Piece {
	pieces := make([]mock.Piece, n)
	for i := range pieces {
		pieces[i].Text = "some "
	}
	return pieces
}

func TestAnswersHaveTheShapeOfARealServers(t *testing.T) {
	call := func(path string) fsm.ToolCall {
		return fsm.ToolCall{Name: "list_dir", Args: `{"path":"` + path + `"}`}
	}
	tests := []struct {
		recording    string
		method, path string
		body         string
		answer       mock.Answer
		skip         []string // keys that a server may have or not
	}{
		{recording: "version", method: "GET", path: "/api/version"},
		{recording: "tags", method: "GET", path: "/api/tags"},
		{recording: "show-chat", method: "POST", path: "/api/show", body: `{"model":"brain"}`, skip: []string{".model_info."}},
		{recording: "show-chat", method: "POST", path: "/api/show", body: `{"name":"brain"}`, skip: []string{".model_info."}},
		{recording: "show-embed", method: "POST", path: "/api/show", body: `{"model":"brain-embed:latest"}`, skip: []string{".model_info."}},
		{recording: "chat-text", method: "POST", path: chatPath, body: `{"model":"brain",` + hello + `}`, answer: mock.Answer{Pieces: textPieces(6)}},
		{recording: "chat-text-whole", method: "POST", path: chatPath, body: `{"model":"brain","stream":false,` + hello + `}`, answer: mock.Answer{Text: defaultSay}},
		{recording: "chat-call", method: "POST", path: chatPath, body: `{"model":"brain",` + twoTools + `,` + hello + `}`, answer: mock.Answer{Calls: []fsm.ToolCall{call(".")}}},
		{recording: "chat-call-whole", method: "POST", path: chatPath, body: `{"model":"brain","stream":false,` + hello + `}`, answer: mock.Answer{Calls: []fsm.ToolCall{call(".")}}},
		{recording: "chat-two-calls", method: "POST", path: chatPath, body: `{"model":"brain",` + hello + `}`, answer: mock.Answer{Calls: []fsm.ToolCall{call("a"), call("b")}}},
		{recording: "chat-length", method: "POST", path: chatPath, body: `{"model":"brain",` + hello + `}`, answer: mock.Answer{Pieces: textPieces(3), Length: true}},
		{recording: "chat-thinking-whole", method: "POST", path: chatPath, body: `{"model":"brain","stream":false,` + hello + `}`, answer: mock.Answer{Text: "a", Thinking: "b"}},
		{recording: "chat-unoffered-call", method: "POST", path: chatPath, body: `{"model":"brain",` + hello + `}`, answer: mock.Answer{Text: "unsaid", Empty: true}},
		{recording: "chat-load", method: "POST", path: chatPath, body: `{"model":"brain"}`},
		{recording: "chat-unload", method: "POST", path: chatPath, body: `{"model":"brain","keep_alive":0,"messages":[]}`},
		{recording: "embed-one", method: "POST", path: "/api/embed", body: `{"model":"brain-embed","input":"hello world"}`},
		{recording: "embed-three", method: "POST", path: "/api/embed", body: `{"model":"brain-embed","input":["a","b","c"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.recording, func(t *testing.T) {
			want, got := recorded(t, tt.recording), request(t, serve(t, &scripted{answer: tt.answer}), tt.method, tt.path, tt.body)
			if got.status != want.status || got.media != want.media {
				t.Errorf("status %d, %s; want %d, %s", got.status, got.media, want.status, want.media)
			}
			if diff := cmp.Diff(shape(t, want.body, tt.skip...), shape(t, got.body, tt.skip...)); diff != "" {
				t.Errorf("keys (-want +got)\n%s", diff)
			}
		})
	}
}

func TestRefusalsAreWordedAsARealServers(t *testing.T) {
	tests := []struct{ recording, method, path, body string }{
		{"root", "GET", "/", ""},
		{"show-unknown", "POST", "/api/show", `{"model":"ghost"}`},
		{"chat-unknown-model", "POST", chatPath, `{"model":"ghost",` + hello + `}`},
		{"chat-empty-model", "POST", chatPath, `{` + hello + `}`},
		{"chat-bad-json", "POST", chatPath, `{"model":"brain","messages":[`},
		{"chat-embed-model", "POST", chatPath, `{"model":"brain-embed",` + hello + `}`},
		{"chat-wrong-method", "GET", chatPath, ""},
		{"chat-wrong-method", "POST", "/api/tags", "{}"},
		{"unknown-path", "GET", "/api/nothing", ""},
		{"embed-unknown-model", "POST", "/api/embed", `{"model":"ghost","input":"x"}`},
		{"embed-bad-input", "POST", "/api/embed", `{"model":"brain-embed","input":[1,2]}`},
		{"embed-none", "POST", "/api/embed", `{"model":"brain-embed","input":[]}`},
		{"version", "GET", "/api/version", ""},
	}
	for _, tt := range tests {
		t.Run(tt.recording+" "+tt.path, func(t *testing.T) {
			want, got := recorded(t, tt.recording), request(t, serve(t, &scripted{}), tt.method, tt.path, tt.body)
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

func TestLoadedModelsAreListed(t *testing.T) {
	s := serve(t, &scripted{})
	if got := request(t, s, "GET", "/api/ps", "").body; got != `{"models":[]}` {
		t.Errorf("before any call: %s", got)
	}
	request(t, s, "POST", chatPath, `{"model":"brain","options":{"num_ctx":4096},`+hello+`}`)
	request(t, s, "POST", "/api/embed", `{"model":"brain-embed","input":"x"}`)
	got := request(t, s, "GET", "/api/ps", "")
	if diff := cmp.Diff(shape(t, recorded(t, "ps").body), shape(t, got.body)); diff != "" {
		t.Errorf("keys (-want +got)\n%s", diff)
	}
	var ps struct {
		Models []struct {
			Name          string
			ContextLength int `json:"context_length"`
		}
	}
	if err := json.Unmarshal([]byte(got.body), &ps); err != nil {
		t.Fatal(err)
	}
	if len(ps.Models) != 2 || ps.Models[0].Name != "brain-embed:latest" || ps.Models[1].ContextLength != 4096 {
		t.Errorf("%+v", ps.Models)
	}
	request(t, s, "POST", chatPath, `{"model":"brain:latest","keep_alive":0}`)
	if got := request(t, s, "GET", "/api/ps", "").body; strings.Contains(got, `"brain:latest"`) {
		t.Errorf("after unloading: %s", got)
	}
}
