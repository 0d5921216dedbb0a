package ollama_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestCLI10DescribeReadsTheShape(t *testing.T) {
	for _, tt := range []struct {
		name string
		info map[string]any
		want ollama.Shape
	}{
		{"all is said", map[string]any{
			"general.architecture": "qwen3", "qwen3.block_count": 36, "qwen3.attention.head_count": 32, "qwen3.attention.head_count_kv": 8,
			"qwen3.attention.key_length": 128, "qwen3.attention.value_length": 128, "qwen3.embedding_length": 4096,
		}, ollama.Shape{Layers: 36, HeadsKV: 8, KeyLength: 128, ValueLength: 128}},
		{"lengths of even heads", map[string]any{
			"general.architecture": "llama", "llama.block_count": 32, "llama.attention.head_count": 32, "llama.attention.head_count_kv": 8, "llama.embedding_length": 4096,
		}, ollama.Shape{Layers: 32, HeadsKV: 8, KeyLength: 128, ValueLength: 128}},
		{"heads that differ from layer to layer", map[string]any{
			"general.architecture": "x", "x.block_count": 2, "x.attention.head_count": 4, "x.attention.head_count_kv": nil, "x.embedding_length": 64,
		}, ollama.Shape{Layers: 2, HeadsKV: 4, KeyLength: 16, ValueLength: 16}},
		{"nothing", map[string]any{"general.architecture": "x"}, ollama.Shape{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
				_ = json.NewEncoder(w).Encode(map[string]any{"model_info": tt.info})
			})
			got, err := client(t, s, nil).Describe(testContext(t), "x")
			if diff := cmp.Diff(tt.want, got.Shape); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
	got, err := client(t, playing(t, "show-chat"), nil).Describe(testContext(t), "x")
	if err != nil || got.Shape.PerToken() != 16 || !slices.Equal(got.Words(), []string{"completion", "tools"}) {
		t.Errorf("the recorded model: %+v, %v", got, err)
	}
	_, err = client(t, playing(t, "show-unknown"), nil).Describe(testContext(t), "ghost")
	wantClass(t, err, fsm.BrainMissingModel)
}

func TestCLI10LoadedSaysWhatIsInMemory(t *testing.T) {
	got, err := client(t, bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) { recorded(t, w, "ps") }), nil).Loaded(testContext(t))
	if err != nil || len(got) != 2 || got[1].Name != "brain:latest" || got[1].NumCtx != 32768 || got[1].Bytes != 2894848 || got[1].OnGPU() != 0 {
		t.Errorf("got %+v, %v; want 2 of them, [1].Name %q, [1].NumCtx 32768, [1].Bytes 2894848, [1].OnGPU() 0", got, err, "brain:latest")
	}
	if half := (ollama.Loaded{Bytes: 10, GPU: 5}).OnGPU(); half != 50 {
		t.Errorf("half is %d %%", half)
	}
}

func TestLocalIsThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": true, "localhost:1": true, "[::1]:5": true, "0.0.0.0": true, "10.0.0.7": false, "http://models": false,
		"Localhost": true, "[0:0:0:0:0:0:0:1]": true, "127.example.com": false,
	} {
		c, err := ollama.New(ollama.Options{BaseURL: address})
		if err != nil || c.Local() != want {
			t.Errorf("%s: %v, want %v", address, !want, want)
		}
	}
}
