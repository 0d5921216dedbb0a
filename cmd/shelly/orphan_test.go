package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/mock"
)

// runaway forks twice, leaves its session and its environment, ignores every signal that it
// can, and starts more processes; each of them holds the pipe "alive".
const runaway = `(setsid env -i /bin/sh -c 'trap "" TERM HUP INT; exec 9>alive; echo up >&9; while :; do sleep 1000 & sleep 1000; done' &) & exec sleep 1000`

// witnessBrain is a [onceBrain] that checks, before it learns of the command's outcome, whether
// a process of it still runs.
type witnessBrain struct {
	onceBrain
	pipe  int
	told  atomic.Bool
	alive atomic.Bool
}

func (b *witnessBrain) Answer(ctx context.Context, q mock.Question) (mock.Answer, error) {
	if q.Messages[len(q.Messages)-1].Role == fsm.RoleTool {
		b.told.Store(true)
		if _, err := syscall.Read(b.pipe, make([]byte, 1)); errors.Is(err, syscall.EAGAIN) {
			b.alive.Store(true)
		}
	}
	return b.onceBrain.Answer(ctx, q)
}

// Whether the daemon or the supervisor is killed while a command runs, no process of the
// command is left when the model learns of it (TOL-11, INF-13).
func TestTOL11KilledWhileACommandRunsNothingOfItRunsOn(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real binary")
	}
	bin := buildShelly(t)
	lost := "The tool said: error: the command was killed together with its supervisor; output until then:\n(no output)"
	for _, c := range []struct {
		name string
		kill func(p *process, supervisor int)
		next bool // another process of the daemon goes on
		want string
		log  string
	}{
		{"the daemon", func(p *process, _ int) { p.kill() }, true, "The tool said: " + fsm.PresentWords().Text(fsm.WordUnknownOutcome), ""},
		{"the supervisor", func(_ *process, supervisor int) { _ = syscall.Kill(supervisor, syscall.SIGKILL) }, false, lost, ""},
		{"both at once", func(p *process, supervisor int) {
			_ = p.cmd.Process.Signal(syscall.SIGSTOP) // so that it does nothing about the next line
			_ = syscall.Kill(supervisor, syscall.SIGKILL)
			p.kill()
		}, true, "The tool said: " + fsm.PresentWords().Text(fsm.WordUnknownOutcome), "ended commands of a killed daemon that were still running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			alive := filepath.Join(dir, "alive")
			must(t, syscall.Mkfifo(alive, 0o600))
			pipe, err := syscall.Open(alive, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Close(pipe) }()
			brain := &witnessBrain{onceBrain: onceBrain{command: runaway}, pipe: pipe}
			p := &process{
				t: t, bin: bin, data: filepath.Join(t.TempDir(), "data"), dir: dir,
				env:  []string{"OLLAMA_HOST=" + serveMock(t, brain)},
				args: []string{"--set", "tools.exec.allow=unsandboxed", "--profile", "shelly", "--set", "init=off"}, // a pid namespace ends with its supervisor
			}
			ctx, cancel := context.WithTimeout(t.Context(), guard)
			defer cancel()
			p.start()
			ask := client.AskRequest{ID: "one", Text: "run it"}
			quick := client.Options{Pause: func(context.Context, time.Duration) error { return errors.New("the daemon was killed") }}
			go func() { _, _ = client.New(p.data, quick).Ask(ctx, ask, func(comm.Event) {}) }()
			awaitLine(t, alive)
			c.kill(p, supervisorOf(t, p.data))
			if c.next {
				p.start()
			}
			reply, err := client.New(p.data, client.Options{}).Ask(ctx, ask, func(comm.Event) {})
			if err != nil || reply.Text != c.want {
				t.Errorf("reply %+v, %v; want %q\n%s", reply, err, c.want, p.log.text())
			}
			if !brain.told.Load() || brain.alive.Load() {
				t.Errorf("the model was told: %v; something of the command ran then: %v", brain.told.Load(), brain.alive.Load())
			}
			if c.log != "" && !strings.Contains(p.log.text(), c.log) {
				t.Errorf("the log does not say %q:\n%s", c.log, p.log.text())
			}
			if code := p.stop(); code != 0 {
				t.Errorf("exit code %d\n%s", code, p.log.text())
			}
			if left, _ := filepath.Glob(filepath.Join(p.data, "processes", "*")); len(left) > 0 {
				t.Errorf("records are left: %v", left)
			}
		})
	}
}

// awaitLine waits for a line from the process that holds a named pipe.
func awaitLine(t *testing.T, path string) {
	t.Helper()
	pipe, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := bufio.NewReader(pipe).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

// supervisorOf returns the supervisor of the only command with a record.
func supervisorOf(t *testing.T, data string) int {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(data, "processes", "*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("records %v, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var record struct{ PID int }
	must(t, json.Unmarshal(text, &record))
	return record.PID
}
