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

	"shelly/runtime/ollama/handmade"
)

const liveCase = `scenario: 1
name: a live model lists a folder with the real tools
config: {init: off}
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
  inferences: [[thinking, acting, thinking, completed], {$any: true}]
`

// SCN-29: a live case asks the configured model as often as it says, and records
// which model that was.
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
		if err := os.WriteFile(file, fmt.Appendf(nil, liveCase, test.says), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		run([]string{"test", "--on", "runtime", "--format", "json", file}, &terminal{strings.NewReader(""), &out, &errs})
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
			t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
		}
		c := report.Cases[0]
		if c.Status != test.status || !strings.HasPrefix(c.Live.Model, model) || c.Live.Digest == "" || c.Live.Runs != 3 || c.Live.Held != test.held {
			t.Errorf("%q: %s", test.says, out.String())
		}
		t.Logf("%q: %s, model %s, digest %.12s, held %d of %d", test.says, c.Status, c.Live.Model, c.Live.Digest, c.Live.Held, c.Live.Runs)
	}
}
