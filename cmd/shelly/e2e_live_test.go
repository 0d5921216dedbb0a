//go:build ollama_e2e

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/ollama/handmade"
)

const liveCase = `scenario: 1
name: a live model lists a folder with the real tools
config: {init: off, tell_time: false}
tools: real
world: {one.txt: "1"}
brain: live
repeat: 3
pass: 3
timeline:
  - {user: "[list] what is in this folder?"}
expect:
  replies: [{$contains: %q}]
  tools: {list_dir: {starts: 1}}
  inferences: [[thinking, acting, thinking, completed]]
`

// SCN-29: a live case asks the configured model as many times as it says, and records which
// model that was.
func TestLiveScenarioAgainstARealOllama(t *testing.T) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		t.Skip("OLLAMA_HOST is not set: no real Ollama to test against")
	}
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	model := fmt.Sprintf("shelly-live-%d", os.Getpid())
	if err := handmade.Upload(ctx, "http://"+strings.TrimPrefix(host, "http://"), model, realConversation); err != nil {
		t.Skipf("no real Ollama to test against: %v", err)
	}
	defer func() {
		_ = handmade.Delete(context.Background(), "http://"+strings.TrimPrefix(host, "http://"), model)
	}()
	t.Setenv("SHELLY_BRAIN_MODEL", model)
	t.Setenv("SHELLY_BRAIN_NUM_CTX", "16384")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, test := range []struct {
		says   string
		status string
		held   int
	}{{"one file", "passed", 3}, {"no file at all", "failed", 0}} {
		file := filepath.Join(t.TempDir(), "live.scenario.yaml")
		must(t, os.WriteFile(file, fmt.Appendf(nil, liveCase, test.says), 0o600))
		var out, errs bytes.Buffer
		execute([]string{"test", "--on", "runtime", "--format", "json", file}, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &errs})
		var report struct {
			Cases []struct {
				Status   string
				Failures []json.RawMessage
				Live     struct {
					Model, Digest string
					Runs, Held    int
				}
			}
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Cases) != 1 {
			t.Fatalf("got %v, %d cases; want 1\n%s%s", err, len(report.Cases), out.String(), errs.String())
		}
		c := report.Cases[0]
		if c.Status != test.status || !strings.HasPrefix(c.Live.Model, model) || c.Live.Digest == "" || c.Live.Runs != 3 || c.Live.Held != test.held {
			t.Errorf("%q: got %s; want status %q, a model %s…, a digest, 3 runs, %d held", test.says, out.String(), test.status, model, test.held)
		}
		t.Logf("%q: %s, model %s, digest %.12s, held %d of %d", test.says, c.Status, c.Live.Model, c.Live.Digest, c.Live.Held, c.Live.Runs)
	}
}

// The handmade models of scenarios/ollama/handmade, by their names there.
var handmadeModels = map[string]handmade.Script{
	"shelly-handmade-chat": {Default: "Nobody scripted an answer to that.", Steps: liveSteps},
	"shelly-handmade-plain": {Default: "That was all.", NoTools: true, Steps: map[string]handmade.Step{
		"list:0": {Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "."}`}}},
	}},
	"shelly-handmade-thinking": {Default: "Nothing to think about.", Thinking: true, Steps: map[string]handmade.Step{
		"plan:0": {Think: "First I should look into the folder.", Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "src"}`}}},
		"plan:1": {Think: "Now it is clear to me.", Content: "The plan has one step."},
	}},
}

var liveSteps = map[string]handmade.Step{
	"list:0": {Content: "Let me look. ", Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "."}`}}},
	"list:1": {Content: "There are two files."},
	"both:0": {Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "left"}`}, {Name: "list_dir", Args: `{"path": "right"}`}}},
	"both:2": {Content: "Both sides have been listed in one turn."},
	"none:0": {Calls: []handmade.Call{{Name: "no_such_tool", Args: `{"x": 1}`}}},
	"loop:0": {Content: "round and round and never at an end; ", Loop: true},
}

const handmadeEmbedding = "shelly-handmade-embed"

// The scenarios of the handmade models hold on a real server. They are played by the command as
// a person types it.
func TestHandmadeScenariosAgainstARealOllama(t *testing.T) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		t.Skip("OLLAMA_HOST is not set: no real Ollama to test against")
	}
	base := "http://" + strings.TrimPrefix(host, "http://")
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	for name, script := range handmadeModels {
		if err := handmade.Upload(ctx, base, name, script); err != nil {
			t.Skipf("no real Ollama to test against: %v", err)
		}
		defer func() { _ = handmade.Delete(context.Background(), base, name) }()
	}
	must(t, handmade.UploadEmbedding(ctx, base, handmadeEmbedding))
	defer func() { _ = handmade.Delete(context.Background(), base, handmadeEmbedding) }()
	t.Setenv("SHELLY_BRAIN_EMBED_MODEL", handmadeEmbedding)
	t.Setenv("SHELLY_BRAIN_NUM_CTX", "16384")
	t.Setenv("SHELLY_BRAIN_NUM_PREDICT", "256")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	var out, errs bytes.Buffer
	code := execute([]string{"test", "-v", "--on", "runtime", filepath.Join("..", "..", "scenarios", "ollama", "handmade")}, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &errs})
	t.Logf("%s%s", out.String(), errs.String())
	if code != 0 || strings.Contains(out.String(), "skip ") {
		t.Errorf("ended with %d", code)
	}
}
