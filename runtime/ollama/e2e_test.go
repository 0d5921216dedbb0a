//go:build ollama_e2e

package ollama_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/runtime/ollama/handmade"
)

const (
	realGuard   = 5 * time.Minute
	realNumCtx  = 8192
	defaultText = "Nobody scripted an answer to that, so here is this one."
)

var realScript = handmade.Script{
	Default: defaultText,
	Steps: map[string]handmade.Step{
		"list:0": {Content: "Let me look. ", Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "."}`}}},
		"list:1": {Content: "There are two files: a.txt and b.txt."},
		"both:0": {Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "left"}`}, {Name: "list_dir", Args: `{"path": "right"}`}}},
		"both:2": {Content: "Left and right have been listed in one turn."},
		"none:0": {Calls: []handmade.Call{{Name: "no_such_tool", Args: `{"x": 1}`}}},
		"loop:0": {Content: "round and round and never at an end; ", Loop: true},
		"utf8:0": {Content: "Grüße, 世界! 🦙"},
		"fake:0": {Content: "I look.\n<tool_call>\n{\"name\": \"list_dir\"}\n</tool_call>\n<tool_result name=\"list_dir\">\nnothing\n</tool_result>\nIt is empty."},
	},
}

var thinkingScript = handmade.Script{
	Default:  defaultText,
	Thinking: true,
	Steps: map[string]handmade.Step{
		"plan:0": {Think: "First I should look into the folder.", Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "src"}`}}},
		"plan:1": {Think: "Now it is clear to me.", Content: "The plan has one step."},
	},
}

// live is a real server with handmade models on it.
type live struct {
	*ollama.Client
	chat, thinking, bare, embed string
}

// liveServer uploads the models to the server that OLLAMA_HOST names, and deletes
// them when the test ends.
func liveServer(t *testing.T) live {
	t.Helper()
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		t.Skip("OLLAMA_HOST is not set: no real Ollama to test against")
	}
	c, err := ollama.New(ollama.Options{BaseURL: host, NumCtx: realNumCtx, NumPredict: 256})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	ctx := realContext(t)
	version, err := c.Version(ctx)
	if err != nil {
		t.Skipf("no real Ollama to test against: %v", err)
	}
	t.Logf("Ollama %s at %s", version, c.BaseURL())

	name := func(what string) string { return fmt.Sprintf("shelly-e2e-%s-%d", what, os.Getpid()) }
	r := live{chat: name("chat"), thinking: name("thinking"), bare: name("bare"), embed: name("embed")}
	bare := realScript
	bare.NoTools = true
	for name, script := range map[string]handmade.Script{r.chat: realScript, r.thinking: thinkingScript, r.bare: bare} {
		if err := handmade.Upload(ctx, c.BaseURL(), name, script); err != nil {
			t.Fatal(err)
		}
		deleteLater(t, c, name)
	}
	if err := handmade.UploadEmbedding(ctx, c.BaseURL(), r.embed); err != nil {
		t.Fatal(err)
	}
	deleteLater(t, c, r.embed)
	r.Client = c.With(r.chat, r.embed)
	return r
}

func realContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), realGuard)
	t.Cleanup(cancel)
	return ctx
}

func deleteLater(t *testing.T, c *ollama.Client, name string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), guard)
		defer cancel()
		if err := handmade.Delete(ctx, c.BaseURL(), name); err != nil {
			t.Error(err)
		}
	})
}

var realTools = []fsm.ToolDecl{{
	Name: "list_dir", Description: "List a directory", Effects: fsm.EffectsNone,
	Parameters: `{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`,
}}

// talk holds a conversation: it answers every tool call with a result until the
// model has an answer without calls.
func (r live) talk(t *testing.T, c *ollama.Client, text string) (final fsm.BrainAnswered, calls []fsm.ToolCall, thoughts []string) {
	t.Helper()
	a := ask(text)
	for range 8 {
		answer, err := c.Chat(realContext(t), a, realTools, nil)
		if err != nil {
			t.Fatal(err)
		}
		thoughts = append(thoughts, answer.Thinking)
		if answer.Stop != fsm.StopToolUse {
			return answer, calls, thoughts
		}
		calls = append(calls, answer.Calls...)
		talk := &a.Conversation.Messages
		*talk = append(*talk, fsm.Message{Role: fsm.RoleAssistant, Text: answer.Text, Thinking: answer.Thinking, Calls: answer.Calls})
		for _, tc := range answer.Calls {
			*talk = append(*talk, fsm.Message{Role: fsm.RoleTool, Text: "a.txt\nb.txt", Tool: tc.Name, ToolCall: tc.ID})
		}
	}
	t.Fatal("the model goes on calling tools")
	return final, nil, nil
}

// TestARealServerAnswersAsTheClientExpects never hangs up during an answer: that can block the model on a real server
// permanently (github.com/ollama/ollama/issues/17131), more likely the faster the model is, and the
// server may be in use by somebody.
func TestARealServerAnswersAsTheClientExpects(t *testing.T) {
	r := liveServer(t)
	t.Run("models", r.testModels)
	t.Run("text", r.testText)
	t.Run("tools", r.testTools)
	t.Run("thinking", r.testThinking)
	t.Run("failures", r.testFailures)
	t.Run("truncation", r.testTruncation)
	t.Run("embeddings", r.testEmbeddings)
}

func (r live) testModels(t *testing.T) {
	ctx := realContext(t)
	models, err := r.Models(ctx)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, m := range models {
		for _, name := range []string{r.chat, r.thinking, r.bare, r.embed} {
			if ollama.SameModel(m.Name, name) {
				found++
				t.Logf("%s: %d bytes", m.Name, m.Size)
			}
		}
	}
	if found != 4 {
		t.Errorf("%d of 4 models are listed in %+v", found, models)
	}
	for name, want := range map[string]ollama.Capabilities{
		r.chat:     {Completion: true, Tools: true, ContextLength: 131072},
		r.thinking: {Completion: true, Tools: true, Thinking: true, ContextLength: 131072},
		r.bare:     {Completion: true, ContextLength: 131072},
		r.embed:    {Embedding: true, ContextLength: 512},
	} {
		if got, err := r.Show(ctx, name); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	if chat, embed, err := r.Choose(ctx); chat != r.chat || embed != r.embed || err != nil {
		t.Errorf("got %q, %q, %v; want %q, %q", chat, embed, err, r.chat, r.embed)
	}
	if chat, _, err := r.With("", "").Choose(ctx); chat == "" || err != nil {
		t.Errorf("nothing was chosen: %v", err)
	}
}

func (r live) testText(t *testing.T) {
	for text, want := range map[string]string{
		"hello":            defaultText,
		"[utf8] please":    "Grüße, 世界! 🦙",
		"Input:\n[list] x": "Let me look. ",
	} {
		var streamed strings.Builder
		began := time.Now()
		got, err := r.Chat(realContext(t), ask(text), realTools, func(c ollama.Chunk) { streamed.WriteString(c.Text) })
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != want || streamed.String() != want {
			t.Errorf("%q: %+v, streamed %q; want %q", text, got, &streamed, want)
		}
		if got.Tokens.Prompt == 0 || got.Tokens.Answer == 0 {
			t.Errorf("%q: no tokens counted: %+v", text, got.Tokens)
		}
		t.Logf("%q: %v, %+v", text, time.Since(began), got.Tokens)
	}
}

func (r live) testTools(t *testing.T) {
	final, calls, _ := r.talk(t, r.Client, "please [list] this folder")
	if final.Text != "There are two files: a.txt and b.txt." || len(calls) != 1 || calls[0].Args != `{"path":"."}` || calls[0].ID == "" {
		t.Errorf("%+v after %+v", final, calls)
	}
	final, calls, _ = r.talk(t, r.Client, "[both] sides")
	if final.Text != "Left and right have been listed in one turn." || len(calls) != 2 || calls[1].Args != `{"path":"right"}` {
		t.Errorf("%+v after %+v", final, calls)
	}
	// The server drops a call of a tool that was not offered.
	final, calls, _ = r.talk(t, r.Client, "[none] such")
	if diff := cmp.Diff(fsm.BrainAnswered{Stop: fsm.StopEndTurn, Tokens: final.Tokens, Model: fsm.Model{Name: r.chat, Digest: final.Model.Digest}}, final); diff != "" || calls != nil {
		t.Errorf("%+v (-want +got)\n%s", calls, diff)
	}
}

func (r live) testThinking(t *testing.T) {
	final, calls, thoughts := r.talk(t, r.With(r.thinking, ""), "[plan] it")
	if final.Text != "The plan has one step." || len(calls) != 1 {
		t.Errorf("%+v after %+v", final, calls)
	}
	if diff := cmp.Diff([]string{"First I should look into the folder.", "Now it is clear to me."}, thoughts); diff != "" {
		t.Errorf("thoughts (-want +got)\n%s", diff)
	}
}

func (r live) testFailures(t *testing.T) {
	ctx := realContext(t)
	began := time.Now()
	got, err := r.Chat(ctx, ask("[loop]"), nil, nil)
	took := time.Since(began)
	t.Logf("%d tokens of the prompt and %d of the answer in %v: %.0f tokens of the answer a second", got.Tokens.Prompt, got.Tokens.Answer, took, float64(got.Tokens.Answer)/took.Seconds())
	if err != nil || got.Stop != fsm.StopMaxTokens || got.Tokens.Answer != 256 {
		t.Errorf("got %s, %+v, %v; want %s, 256 tokens of the answer", got.Stop, got.Tokens, err, fsm.StopMaxTokens)
	}
	_, err = r.Chat(ctx, ask(strings.Repeat("far too much ", realNumCtx)), nil, nil)
	wantClass(t, err, fsm.BrainContextTruncated)
	// A model without tools gets a description of them (BRN-16), so this does not fail.
	got, err = r.With(r.bare, "").Chat(ctx, ask("hello"), realTools, nil)
	if err != nil || got.Text != defaultText {
		t.Errorf("got %+v, %v; want Text %q", got, err, defaultText)
	}
	got, err = r.With(r.bare, "").Chat(ctx, ask("[fake]"), realTools, nil)
	if want := "I look.\n<tool_call>\n{\"name\": \"list_dir\"}\n"; err != nil || got.Text != want || got.Stop != fsm.StopEndTurn {
		t.Errorf("got %+v, %v; want Text %q", got, err, want)
	}
	_, err = r.With("shelly-e2e-ghost", "").Chat(ctx, ask("hello"), nil, nil)
	wantClass(t, err, fsm.BrainMissingModel, "ollama pull shelly-e2e-ghost")
	_, err = r.Show(ctx, "shelly-e2e-ghost")
	wantClass(t, err, fsm.BrainMissingModel)
	_, _, err = r.With("", "shelly-e2e-ghost").Embed(ctx, "hello")
	wantClass(t, err, fsm.BrainMissingModel)
}

// testTruncation makes a server drop what its window has no room for, as it does unless told not
// to: its count of the prompt is then the window. The client, which would never ask for this, must
// notice it.
func (r live) testTruncation(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, req *http.Request, body string) {
		body = strings.Replace(body, `"truncate":false`, `"truncate":true`, 1)
		forward, err := http.NewRequestWithContext(req.Context(), req.Method, r.BaseURL()+req.URL.Path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		resp, err := http.DefaultClient.Do(forward)
		if err != nil {
			t.Error(err)
			return
		}
		defer resp.Body.Close()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	})
	c := client(t, s, func(o *ollama.Options) { o.Model, o.NumCtx, o.NumPredict = r.chat, 512, 64 })
	_, err := c.Chat(realContext(t), ask(strings.Repeat("far too much ", 512)), nil, nil)
	wantClass(t, err, fsm.BrainContextTruncated, "512")
}

func (r live) testEmbeddings(t *testing.T) {
	vector := func(text string) []float64 {
		raw, model, err := r.Embed(realContext(t), text)
		if err != nil || model != r.embed || len(raw) != 4*handmade.EmbeddingDims {
			t.Fatalf("%q: %d bytes, model %q, %v", text, len(raw), model, err)
		}
		v := make([]float64, len(raw)/4)
		for i := range v {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		return v
	}
	cosine := func(a, b []float64) float64 {
		var dot, aa, bb float64
		for i := range a {
			dot, aa, bb = dot+a[i]*b[i], aa+a[i]*a[i], bb+b[i]*b[i]
		}
		return dot / math.Sqrt(aa*bb)
	}
	disk := vector("the root disk is almost full")
	near, far := cosine(disk, vector("is the root disk full")), cosine(disk, vector("bake me an apple cake"))
	t.Logf("similar %.2f, unrelated %.2f", near, far)
	if near < far+0.2 {
		t.Errorf("similar texts %.2f, unrelated ones %.2f", near, far)
	}
	vector(strings.Repeat("longer than the model's window ", 200))
}
