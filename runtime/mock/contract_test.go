package mock_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/runtime/ollama/transcript"
)

// unlike are the recorded answers that the mock does not reproduce, and why.
var unlike = map[string]string{
	"44-format-bad-schema":          "a schema is not looked into",
	"67-client-hangs-up-mid-stream": "the recording ends where the client did",
	"81-embed-batch-dims4":          "", // reproduced, except for the numbers
	"91-logprobs":                   "logprobs are not played",
	"93-debug-render-only":          "there is no template to render",
	"95-pull-offline":               "the mock has a registry of its own models, with no network to fail",
	"98-create-over-http":           "the models are those that the mock was started with",
}

// newer are the keys that the server recorded has not or not always, but Ollama 0.34 has, or the
// other way round, by path. TestCLI9WhatNewerServersAnswer holds them.
var newer = map[string][]string{
	"/api/tags":     {"context_length", "embedding_length", "capabilities"},
	"/api/show":     {"tensors"},
	"/api/chat":     {"prompt_eval_cached_count"},
	"/api/generate": {"prompt_eval_cached_count"},
}

// reworded are the texts that Ollama 0.34 has in place of those recorded.
var reworded = map[string]*strings.Replacer{
	"07-show-unknown":                strings.NewReplacer("ghost", "ghost:latest"),
	"61-long-truncate-false":         tooLongNow,
	"61b-long-truncate-false-stream": tooLongNow,
}

var tooLongNow = strings.NewReplacer("the input length exceeds the context length",
	`{\"error\":{\"code\":400,\"message\":\"request (1357 tokens) exceeds the available context size (256 tokens), try increasing it\",`+
		`\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":1357,\"n_ctx\":256}}`)

// before are the requests that lead up to an answer, besides the one it answers.
var before = map[string][]string{
	"66-ps-after-num_ctx-over": {"65-num_ctx-over-model-max"},
	"90-ps":                    {"11-chat-default-stream", "80-embed-one"},
}

// parrot says what a real server said.
type parrot struct{ answer mock.Answer }

func (p *parrot) Answer(context.Context, mock.Question) (mock.Answer, error) { return p.answer, nil }

// heard returns a recorded answer in the form of the brain's.
func heard(e transcript.Exchange) (a mock.Answer) {
	a.Pieces = []mock.Piece{}
	for line := range strings.Lines(e.Answer) {
		var l struct {
			Message struct {
				Content, Thinking string
				ToolCalls         []struct {
					ID       string
					Function struct {
						Name      string
						Arguments json.RawMessage
					}
				} `json:"tool_calls"`
			}
			Response   string
			DoneReason string `json:"done_reason"`
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue
		}
		text := l.Message.Content + l.Response
		a.Text += text
		a.Thinking += l.Message.Thinking
		a.Pieces = append(a.Pieces, mock.Piece{Thinking: l.Message.Thinking, Text: text})
		for _, c := range l.Message.ToolCalls {
			a.Calls = append(a.Calls, fsm.ToolCall{ID: c.ID, Name: c.Function.Name, Args: string(c.Function.Arguments)})
		}
		a.Length = l.DoneReason == "length"
	}
	return a
}

// The mock answers like a real server: status, type, framing, lines, keys in their order, and
// values, except those that differ by nature.
func TestTheMockAnswersLikeARealServer(t *testing.T) {
	all, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]transcript.Exchange{}
	for _, e := range all {
		named[e.Name] = e
	}
	held := 0
	for _, e := range all {
		if unlike[e.Name] != "" {
			continue
		}
		held++
		t.Run(e.Name, func(t *testing.T) {
			brain := &parrot{heard(e)}
			s := httptest.NewServer(mock.New(mock.Options{
				Models: []mock.Model{
					{Name: "brain", NoThinking: true, NoVision: true}, {Name: "brain-notools", NoTools: true, NoThinking: true, NoVision: true},
					{Name: "brain-think", NoLevels: true, NoVision: true},
				},
				EmbedModel: "brain-embed", EmbedDims: 128, NumCtx: 32768, Limits: true, Brain: brain,
			}))
			defer s.Close()
			for _, name := range before[e.Name] {
				request(t, s, named[name].Method, named[name].Path, named[name].Request)
			}
			got := request(t, s, e.Method, e.Path, e.Request)
			if want := (response{e.Status, e.Header.Get("Content-Type"), ""}); got.status != want.status || got.media != want.media {
				t.Errorf("status %d, %q; want %d, %q", got.status, got.media, want.status, want.media)
			}
			if full := windowOf(t, e.Request); full > 0 && counted(e.Answer) == full && counted(got.body) != full {
				t.Errorf("a window of %d is not reported as full: %s", full, got.body)
			}
			want := e.Answer
			if r := reworded[e.Name]; r != nil {
				want = r.Replace(want)
			}
			if diff := cmp.Diff(natures(t, e.Path, want), natures(t, e.Path, strings.TrimSpace(got.body))); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	t.Logf("%d recorded answers, of which %d are held", len(all), held)
}

// windowOf returns the window that a request asks for, or 0.
func windowOf(t *testing.T, body string) int {
	t.Helper()
	var r struct {
		Options struct {
			NumCtx json.Number `json:"num_ctx"`
		}
	}
	if body == "" || json.Unmarshal([]byte(body), &r) != nil {
		return 0
	}
	n, _ := r.Options.NumCtx.Int64()
	return int(n)
}

// counted returns the prompt's tokens in a whole answer.
func counted(body string) int {
	var a struct {
		Count int `json:"prompt_eval_count"`
	}
	_ = json.Unmarshal([]byte(body), &a)
	return a.Count
}

// byNature are the keys whose values differ from server to server and from run to run. Those in a
// description belong to another model.
var byNature = strings.Fields(`created_at modified_at expires_at id size digest parameter_size name model context embeddings embedding
	total_duration load_duration prompt_eval_count prompt_eval_duration eval_count eval_duration
	modelfile parameters template parent_model model_info tensors version`)

// natures returns the lines of a body with "…" for the values that differ by nature, except for the
// counts of a full window.
func natures(t *testing.T, path, body string) []string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, "{") {
			lines = append(lines, strings.TrimSpace(line))
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		var b bytes.Buffer
		if err := normal(d, &b, path == "/api/chat" || path == "/api/generate" || path == "/api/embed", newer[path]); err != nil && err != io.EOF {
			t.Fatalf("%s: got %v; want a line of JSON", line, err)
		}
		lines = append(lines, b.String())
	}
	return lines
}

// normal copies one value without some keys; with names, the names of models are kept because they
// are those of the request.
func normal(d *json.Decoder, b *bytes.Buffer, names bool, without []string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		b.WriteString("{")
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if slices.Contains(without, key.(string)) {
				var skipped json.RawMessage
				if err := d.Decode(&skipped); err != nil {
					return err
				}
				continue
			}
			fmt.Fprintf(b, " %s: ", key)
			if differs(key.(string), names) {
				var skipped json.RawMessage
				if err := d.Decode(&skipped); err != nil {
					return err
				}
				b.WriteString("…")
				continue
			}
			if err := normal(d, b, names, without); err != nil {
				return err
			}
		}
		b.WriteString(" }")
	case json.Delim('['):
		b.WriteString("[")
		for d.More() {
			if err := normal(d, b, names, without); err != nil {
				return err
			}
			b.WriteString(",")
		}
		b.WriteString("]")
	default:
		fmt.Fprintf(b, "%#v", token)
		return nil
	}
	_, err = d.Token()
	return err
}

func differs(key string, names bool) bool {
	if names && (key == "name" || key == "model") {
		return false
	}
	return slices.Contains(byNature, key)
}
