//go:build ollama_e2e

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/ollama"
	"shelly/runtime/ollama/handmade"
	"shelly/runtime/store"
	"shelly/sim"
	"shelly/sim/script"
)

// realConversation is what the handmade model says. The word in brackets in the last user
// message selects the step.
var realConversation = handmade.Script{
	Default: "Noted for later.",
	Steps: map[string]handmade.Step{
		"list:0": {Content: "Let me look. ", Calls: []handmade.Call{{Name: "list_dir", Args: `{"path": "."}`}}},
		"list:1": {Content: "The folder holds one file."},
		"need:0": {Content: "NEED: [fact] what was noted"},
		"fact:0": {Content: "It was noted for later."},
	},
}

// The conversation of a simulated case takes the same course with the real binary and a real
// Ollama: a tool round, a need met from memory, embeddings, and a farewell.
func TestDaemonAgainstARealOllama(t *testing.T) {
	host := os.Getenv("OLLAMA_HOST")
	if host == "" {
		t.Skip("OLLAMA_HOST is not set: no real Ollama to test against")
	}
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()
	server, err := ollama.New(ollama.Options{BaseURL: host})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	version, err := server.Version(ctx)
	if err != nil {
		t.Skipf("no real Ollama to test against: %v", err)
	}
	t.Logf("Ollama %s at %s", version, server.BaseURL())
	chat, embed := fmt.Sprintf("shelly-daemon-%d", os.Getpid()), fmt.Sprintf("shelly-daemon-embed-%d", os.Getpid())
	must(t, handmade.Upload(ctx, server.BaseURL(), chat, realConversation))
	defer func() { _ = handmade.Delete(context.Background(), server.BaseURL(), chat) }()
	must(t, handmade.UploadEmbedding(ctx, server.BaseURL(), embed))
	defer func() { _ = handmade.Delete(context.Background(), server.BaseURL(), embed) }()

	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "one.txt"), []byte("1"), 0o600))
	p := &process{
		t: t, bin: buildShelly(t), data: filepath.Join(t.TempDir(), "data"), dir: dir,
		args: []string{
			"--model", chat, "--set", "brain.embed_model=" + embed, "--profile", "shelly", "--set", "init=off", "--set", "brain.num_ctx=16384",
			"--set", "switches.spare_model=false", // so that each entry has its vector at once
		},
	}
	p.start()
	questions := []string{"[list] what is in this folder?", "[need] what did you note?"}
	var replies, tools []string
	for i, q := range questions {
		reply, err := client.New(p.data, client.Options{}).Ask(ctx,
			client.AskRequest{ID: fmt.Sprintf("q%d", i), Text: q}, func(e comm.Event) {
				if e.Type == comm.EventTool {
					tools = append(tools, e.Tool+" "+e.Args)
				}
			})
		if err != nil {
			t.Fatalf("%v\n%s", err, p.log.text())
		}
		replies = append(replies, reply.Text)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log.text())
	}
	if want := []string{"The folder holds one file.", "It was noted for later."}; !slices.Equal(replies, want) {
		t.Errorf("replies %q, want %q", replies, want)
	}
	if len(tools) != 1 || !strings.HasPrefix(tools[0], "list_dir") {
		t.Errorf("tool calls %q", tools)
	}
	compareJourney(t, filepath.Join(p.data, "store"), questions)
}

// compareJourney compares the daemon's journal with the simulation of the same conversation:
// the same facts in the same order, and the same memory except for vectors.
func compareJourney(t *testing.T, folder string, questions []string) {
	t.Helper()
	s, err := store.Open(folder, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	must(t, s.Replay(0, func(r engine.Record) error { got = append(got, fsm.InputKind(r.Input)); return nil }))
	entries := 0
	err = s.Entries(func(e fsm.Entry) error {
		entries++
		if len(e.Vector) == 0 || e.Summary == "" {
			t.Errorf("entry %s: %d bytes of vector, summary %q", e.ID, len(e.Vector), e.Summary)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	config := profile.Shelly()
	config.Init = fsm.InitOff
	plan := sim.Plan{
		Config: config,
		Stubs:  []sim.Stub{{Decl: fsm.ToolDecl{Name: "list_dir", Effects: fsm.EffectsNone}, Acts: []sim.Act{{Returns: "one.txt"}}}},
		Scripts: []script.Script{{Purpose: fsm.PurposeAnswer, Lines: []script.Line{
			{Text: "Let me look.", Calls: []fsm.ToolCall{{Name: "list_dir", Args: `{"path": "."}`}}},
			{Text: "The folder holds one file."},
			{Text: "NEED: [fact] what was noted"},
			{Text: "It was noted for later."},
		}}},
		Timeline: []sim.Moment{
			{At: 0, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "q0"}, Text: questions[0]}},
			{At: fsm.Second, Request: &fsm.Requested{Request: fsm.RequestKey{ID: "q1"}, Text: questions[1]}},
			{At: 2 * fsm.Second, Signal: "TERM"},
		},
	}
	result, err := sim.Run(plan, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, step := range result.Steps {
		want = append(want, fsm.InputKind(step.Input))
	}
	if !slices.Equal(got, want) {
		t.Errorf("journalled inputs\n got  %v\n want %v", got, want)
	}
	if entries != len(result.Memory) {
		t.Errorf("%d memory entries, simulated %d", entries, len(result.Memory))
	}
	t.Logf("%d journalled inputs, as simulated; %d memory entries with vectors", len(got), entries)
}
