//go:build ollama_e2e

package mock

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/runtime/ollama/handmade"
	"shelly/sim/server"
)

const (
	agreementGuard = 3 * time.Minute
	agreementSays  = "So it is." // short: the handmade model has tokens of its own for what it says
)

// chatML is the template of most small models: the tools are in the system part.
const chatML = `{{ if or .System .Tools }}<|im_start|>system
{{ .System }}{{ if .Tools }}

# Tools

You may call one or more functions:
<tools>{{ range .Tools }}
{{ . | json }}{{ end }}
</tools>

A call is a JSON object within <tool_call></tool_call>:
<tool_call>
{"name": NAME, "arguments": ARGUMENTS}
</tool_call>{{ end }}<|im_end|>
{{ end }}{{ range .Messages }}{{ if ne .Role "system" }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}{{ end }}<|im_start|>assistant
`

// read is the length of a prompt, and how much of it the server had to read because its slot did not
// hold it, in tokens.
type read struct{ prompt, anew int }

// share returns that part in thousandths: the simulated server and the real one count in tokens of
// different lengths.
func (r read) share() int { return r.anew * 1000 / r.prompt }

// SIM-20: what the simulated server reads is what a real server says for the same requests, newer
// ones in their answers, older ones in their own log: a growing conversation, a side call without tools, another session, the way back from
// each, the same prompt twice, and a conversation that begins with a summary, as the user's message
// and as a system message (CTX-5).
func TestReadAgainAsARealServer(t *testing.T) {
	host, log := os.Getenv("OLLAMA_HOST"), os.Getenv("OLLAMA_LOG")
	if host == "" {
		t.Skip("OLLAMA_HOST is not set: no real Ollama (OLLAMA_NUM_PARALLEL=1) to compare with")
	}
	host = "http://" + strings.TrimPrefix(host, "http://")
	ctx, cancel := context.WithTimeout(context.Background(), agreementGuard)
	defer cancel()
	model := fmt.Sprintf("shelly-agreement-%d", os.Getpid())
	if err := handmade.Upload(ctx, host, model, handmade.Script{Default: agreementSays, Marks: []string{"<|im_start|>", "<|im_end|>"}}); err != nil {
		t.Skipf("no real Ollama to test against: %v", err)
	}
	defer func() { _ = handmade.Delete(context.Background(), host, model) }()
	post(t, ctx, host+"/api/create", map[string]any{"model": model, "from": model, "template": chatML, "stream": false})

	before := len(slotReads(t, log))
	sim, want, got := server.New(server.Config{Slots: 1, Window: 16384}), []read{}, []read{}
	for i, body := range agreementCalls(model) {
		var req chatRequest
		if err := json.Unmarshal(body, &req); err != nil {
			t.Fatal(err)
		}
		served := sim.Ask(0, server.Call{
			ID: uint64(i + 1), Model: model, Prompt: req.rendered(), Answer: server.Written("", agreementSays, nil),
		})
		sim.End(0, uint64(i+1))
		want = append(want, read{served[0].Prompt, served[0].Read})
		if r, ok := answerReads(post(t, ctx, host+"/api/chat", body)); ok {
			got = append(got, r)
		}
	}
	if len(got) == 0 {
		got = loggedReads(t, ctx, log, before, len(want))
	}
	if len(got) != len(want) {
		t.Fatalf("the server tells of %d calls, not %d", len(got), len(want))
	}
	var all, simulated read
	for i, real := range got {
		t.Logf("call %d: real %d of %d (%d ‰), simulated %d of %d (%d ‰)", i+1,
			real.anew, real.prompt, real.share(), want[i].anew, want[i].prompt, want[i].share())
		if d := real.share() - want[i].share(); d < -10 || d > 10 {
			t.Errorf("call %d: the real server read %d ‰ of the prompt, the simulated one %d ‰", i+1, real.share(), want[i].share())
		}
		all, simulated = read{all.prompt + real.prompt, all.anew + real.anew}, read{simulated.prompt + want[i].prompt, simulated.anew + want[i].anew}
	}
	t.Logf("in all: real %d ‰, simulated %d ‰", all.share(), simulated.share())
	if d := all.share() - simulated.share(); d < -10 || d > 10 {
		t.Errorf("in all the real server read %d ‰ of the prompts, the simulated one %d ‰", all.share(), simulated.share())
	}
}

// agreementCalls are the requests of two sessions that share a slot.
func agreementCalls(model string) [][]byte {
	tools := api.Tools{tool("read_file"), tool("list_dir"), tool("exec")}
	say := func(role, what string, lines int) api.Message {
		return api.Message{Role: role, Content: strings.Repeat(what+" is said here in a line of some length.\n", lines)}
	}
	answer := api.Message{Role: "assistant", Content: agreementSays}
	system := say("system", "What the model should know", 12)
	// A server that has the same model under another name still holds that one's prompts.
	system.Content = fmt.Sprintf("%d asks.\n", os.Getpid()) + system.Content
	one := []api.Message{system, say("user", "A first question", 6)}
	two := append(append([]api.Message{}, one...), answer, say("user", "A second question", 3))
	three := append(append([]api.Message{}, two...), answer, say("user", "A third question with a file", 60))
	four := append(append([]api.Message{}, three...), answer, say("user", "A fourth question", 2))
	other := []api.Message{system, say("user", "Somebody else's question", 8)}
	side := []api.Message{say("system", "How to sum up", 4), say("user", "What is to be summed up", 30)}
	summed := []api.Message{system, say("user", "What was said before", 5), say("user", "A fourth question", 2)}
	headed := []api.Message{system, say("system", "What was said before", 5), say("user", "A fourth question", 2)}
	var bodies [][]byte
	for _, c := range []struct {
		messages []api.Message
		tools    api.Tools
	}{{one, tools}, {two, tools}, {three, tools}, {side, nil}, {four, tools}, {other, tools}, {four, tools}, {four, tools}, {summed, tools}, {headed, tools}} {
		bodies = append(bodies, encoded(api.ChatRequest{Model: model, Messages: c.messages, Tools: c.tools, Options: map[string]any{
			"num_ctx": 16384, "num_predict": 256, "temperature": 0,
		}}))
	}
	return bodies
}

func tool(name string) api.Tool {
	properties := api.NewToolPropertiesMap()
	properties.Set("path", api.ToolProperty{Type: api.PropertyType{"string"}, Description: "Relative to the workspace."})
	return api.Tool{Type: "function", Function: api.ToolFunction{
		Name: name, Description: "What " + name + " does, in a sentence of a usual length for a tool.",
		Parameters: api.ToolFunctionParameters{Type: "object", Required: []string{"path"}, Properties: properties},
	}}
}

// post sends a request to a server and returns the answer.
func post(t *testing.T, ctx context.Context, url string, body any) []byte {
	t.Helper()
	text, ok := body.([]byte)
	if !ok {
		text = encoded(body)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s (%v)", resp.StatusCode, text, err)
	}
	return text
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it consists of strings
	}
	return text
}

// answerReads returns what a server read by the last line of its answer, and whether that says it.
func answerReads(answer []byte) (read, bool) {
	lines := bytes.Split(bytes.TrimSpace(answer), []byte("\n"))
	var last api.ChatResponse
	if err := json.Unmarshal(lines[len(lines)-1], &last); err != nil || last.PromptEvalCachedCount == nil {
		return read{}, false
	}
	return read{last.PromptEvalCount, last.PromptEvalCount - *last.PromptEvalCachedCount}, true
}

// loggedReads waits until a server's debug log tells of n prompts after those before, and returns them.
func loggedReads(t *testing.T, ctx context.Context, log string, before, n int) []read {
	t.Helper()
	if log == "" {
		t.Skip("the server's answers do not say what it had to read, and OLLAMA_LOG is not set: no log of it (OLLAMA_DEBUG=1)")
	}
	for {
		got := slotReads(t, log)[before:]
		if len(got) >= n {
			return got
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the log tells of %d calls, not %d", len(got), n)
		case <-time.After(10 * time.Millisecond): // the runner's log comes through a pipe
		}
	}
}

var slotLine = regexp.MustCompile(`loading cache slot.* prompt=(\d+) used=\d+ remaining=(\d+)`)

// slotReads returns the prompts in a server's debug log, if there is one.
func slotReads(t *testing.T, log string) []read {
	t.Helper()
	if log == "" {
		return nil
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var found []read
	for _, m := range slotLine.FindAllSubmatch(text, -1) {
		prompt, _ := strconv.Atoi(string(m[1]))
		anew, _ := strconv.Atoi(string(m[2]))
		found = append(found, read{prompt, anew})
	}
	return found
}
