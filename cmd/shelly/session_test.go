package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// countingBrain answers with the number of the answer, and records what it was sent. It
// consolidates whatever it is asked to.
type countingBrain struct {
	mu     sync.Mutex
	asked  [][]string // texts of the messages of each answer's call
	system []string   // the system prompt of each
}

func (b *countingBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch q.Purpose {
	case string(fsm.PurposeAnswer):
		var texts []string
		for _, m := range q.Messages {
			texts = append(texts, m.Text)
		}
		b.asked, b.system = append(b.asked, texts), append(b.system, q.System)
		return mock.Answer{Text: "answer " + strconv.Itoa(len(b.asked))}, nil
	case string(fsm.PurposeCompact):
		return mock.Answer{Text: `{"history_entry": "Three questions were asked.", "memory_update": "The person counts."}`}, nil
	default:
		return mock.Answer{Text: "Noted."}, nil
	}
}

// last returns what the model was sent for its last answer.
func (b *countingBrain) last() (texts []string, system string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked[len(b.asked)-1]), b.system[len(b.system)-1]
}

// say asks the daemon with shelly ask, and returns what it prints.
func (p *process) say(session, text string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), guard)
	defer cancel()
	var out, log bytes.Buffer
	ask := exec.CommandContext(ctx, p.bin, "ask", "--data", p.data, "--session", session, "--quiet", text)
	ask.Stdout, ask.Stderr = &out, &log
	if err := ask.Run(); err != nil {
		p.t.Fatalf("ask %q: %v\n%s%s\n%s", text, err, &out, &log, p.log.text())
	}
	return strings.TrimSpace(out.String())
}

// A session survives crashes: what was said in it is sent to the model again by the next
// process, whether it was saved or only replied to, and after /new it is consolidated and
// removed from the conversation (SES-3, SES-10, SES-14, HND-28, JRN-12).
func TestASessionLivesOverCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real binary")
	}
	brain := &countingBrain{}
	p := &process{
		t: t, bin: buildShelly(t), data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(),
		env:  []string{"OLLAMA_HOST=" + serveMock(t, brain)},
		args: []string{"--profile", "nanobot", "--brain", "ollama"},
	}
	wantSent := func(what string, want ...string) {
		t.Helper()
		if got, _ := brain.last(); !cmp.Equal(got, want) {
			t.Errorf("%s: the model was sent %q, want %q", what, got, want)
		}
	}

	p.start()
	if reply := p.say("work", "one"); reply != "answer 1" {
		t.Errorf("reply %q", reply)
	}
	p.say("work", "two")
	wantSent("the second question", "one", "answer 1", "two")
	p.kill() // the second turn may not be saved yet: its reply goes first

	p.start()
	p.say("work", "three")
	wantSent("after a crash", "one", "answer 1", "two", "answer 2", "three")
	p.say("play", "one")
	wantSent("another session", "one")
	p.say("work", "/new")
	p.kill()

	p.start()
	p.say("work", "four")
	wantSent("after /new and a crash", "four")
	if _, system := brain.last(); !strings.Contains(system, "The person counts.") {
		t.Errorf("the system prompt does not hold the consolidated memory:\n%s", system)
	}
	p.say("play", "two")
	wantSent("the other session", "one", "answer 4", "two")
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log.text())
	}
	if log := p.log.text(); strings.Contains(log, "invariant") {
		t.Errorf("the self-check found something:\n%s", log)
	}
	var files []string
	err := filepath.WalkDir(p.data, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "HISTORY.md" {
			text, err := os.ReadFile(name)
			files = append(files, string(text))
			return err
		}
		return err
	})
	if err != nil || len(files) != 1 || strings.Count(files[0], "Three questions were asked.") != 1 {
		t.Errorf("HISTORY.md holds %q, %v", files, err)
	}
}
