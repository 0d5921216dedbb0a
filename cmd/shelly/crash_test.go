package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/mock"
)

// guard ends a test that hangs; nothing should take that long.
const guard = 2 * time.Minute

// process is a shelly daemon, built and started as users do.
type process struct {
	t    *testing.T
	bin  string
	data string
	dir  string // the workspace
	env  []string
	args []string
	cmd  *exec.Cmd
	log  *logLines
}

// binaries are the real binaries built in this run of the tests, by their flags.
type binaries struct {
	mu  sync.Mutex
	dir string
	by  map[string]string
}

var built binaries

// runOnce runs the tests and removes the binaries built for them.
type runOnce struct{ m *testing.M }

func (r runOnce) Run() int {
	debug.SetGCPercent(400) // not by the environment, which what the tests start would have from them
	defer func() { _ = os.RemoveAll(built.dir) }()
	return r.m.Run()
}

// buildShelly builds the real binary, without debug tables as users get it, once for all tests
// that need it with these flags.
func buildShelly(t testing.TB, flags ...string) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if bin := built.by[strings.Join(flags, " ")]; bin != "" {
		return bin
	}
	if built.dir == "" {
		dir, err := os.MkdirTemp("", "shelly")
		if err != nil {
			t.Fatal(err)
		}
		built.dir, built.by = dir, map[string]string{}
	}
	bin := filepath.Join(built.dir, strconv.Itoa(len(built.by)), "shelly")
	must(t, os.Mkdir(filepath.Dir(bin), 0o700))
	build := exec.Command("go", append(append([]string{"build", "-trimpath", "-ldflags", "-s -w", "-o", bin}, flags...), ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	built.by[strings.Join(flags, " ")] = bin
	return bin
}

// start starts the daemon and waits until it serves.
func (p *process) start() {
	p.t.Helper()
	p.startUntil("state=serving")
}

// startUntil starts the daemon and waits until a line of its log holds part.
func (p *process) startUntil(part string) {
	p.t.Helper()
	args := append([]string{
		"run", "--data", p.data, "--workspace", p.dir, "--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=127.0.0.1:0",
	}, p.args...)
	p.cmd = exec.Command(p.bin, args...)
	p.cmd.Env = append(os.Environ(), p.env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.cmd.StderrPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.log = newLogLines()
	must(p.t, p.cmd.Start())
	go p.log.read(bufio.NewScanner(out))
	p.log.await(p.t, part)
}

// kill ends the daemon as a power failure does.
func (p *process) kill() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGKILL))
	_ = p.cmd.Wait()
}

// stop ends the daemon with a farewell and returns its exit code.
func (p *process) stop() int {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	if err := p.cmd.Wait(); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// logLines is what the daemon has logged so far.
type logLines struct {
	mu    sync.Mutex
	more  *sync.Cond
	lines []string
	ended bool
}

func newLogLines() *logLines {
	l := &logLines{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *logLines) read(s *bufio.Scanner) {
	for s.Scan() {
		l.mu.Lock()
		l.lines = append(l.lines, s.Text())
		l.mu.Unlock()
		l.more.Broadcast()
	}
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.more.Broadcast()
}

// await waits for a line that holds part.
func (l *logLines) await(t *testing.T, part string) {
	t.Helper()
	if _, ok := l.reach(part); !ok {
		t.Fatalf("the daemon ended before it logged %q:\n%s", part, l.text())
	}
}

// reach waits for a line that contains part and returns it; false if the daemon ends first.
func (l *logLines) reach(part string) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for next := 0; ; l.more.Wait() {
		for ; next < len(l.lines); next++ {
			if strings.Contains(l.lines[next], part) {
				return l.lines[next], true
			}
		}
		if l.ended {
			return "", false
		}
	}
}

func (l *logLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// onceBrain is a model that runs one command, and then repeats what it was told about the
// outcome.
type onceBrain struct {
	command string
	mu      sync.Mutex
	answers int
	sawLost bool
}

func (b *onceBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if q.Purpose != string(fsm.PurposeAnswer) {
		return mock.Answer{Text: "Noted."}, nil
	}
	b.answers++
	last := q.Messages[len(q.Messages)-1]
	if last.Role == fsm.RoleTool {
		b.sawLost = last.Text == fsm.PresentWords().Text(fsm.WordUnknownOutcome)
		return mock.Answer{Text: "The tool said: " + last.Text}, nil
	}
	return mock.Answer{Calls: []fsm.ToolCall{{Name: "exec", Args: fmt.Sprintf(`{"command":%q}`, b.command)}}}, nil
}

func (b *onceBrain) count() (answers int, sawLost bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.answers, b.sawLost
}

// serveMock starts a mock Ollama for a brain and returns its address.
func serveMock(t testing.TB, brain mock.Brain) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: mock.New(mock.Options{Brain: brain, EmbedDims: 16})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return l.Addr().String()
}

// The daemon is killed with SIGKILL while an unsafe tool runs. After a restart it finishes the
// request once: the tool is not started a second time, the model learns that the outcome is
// unknown, and the reply is kept (INF-13, JRN-5, JRN-12, COM-8).
func TestKilledWhileAToolRunsTheRequestFinishesOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real binary")
	}
	dir := t.TempDir()
	started, hold := filepath.Join(dir, "started"), filepath.Join(dir, "hold")
	for _, fifo := range []string{started, hold} {
		must(t, syscall.Mkfifo(fifo, 0o600))
	}
	// The command counts its starts, signals that it runs, and waits.
	brain := &onceBrain{command: "echo once >> starts; echo x > started; read line < hold"}
	p := &process{
		t: t, bin: buildShelly(t), data: filepath.Join(t.TempDir(), "data"), dir: dir,
		env:  []string{"OLLAMA_HOST=" + serveMock(t, brain)},
		args: []string{"--allow-exec", "--profile", "shelly", "--set", "init=off"},
	}
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()

	p.start()
	ask := client.AskRequest{ID: "the-request", Text: "run it once"}
	quick := client.Options{Pause: func(context.Context, time.Duration) error { return errors.New("the daemon was killed") }}
	go func() { _, _ = client.New(p.data, quick).Ask(ctx, ask, func(comm.Event) {}) }()
	awaitFifo(t, started)
	p.kill()
	releaseFifo(t, hold)

	p.start()
	reply, err := client.New(p.data, client.Options{}).Ask(ctx, ask, func(comm.Event) {})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.log.text())
	}
	if want := "The tool said: " + fsm.PresentWords().Text(fsm.WordUnknownOutcome); reply.Text != want || reply.IsError {
		t.Errorf("reply %+v, want %q", reply, want)
	}
	answers, sawLost := brain.count()
	if !sawLost {
		t.Error("the model was not told that the outcome is unknown")
	}
	again, err := client.New(p.data, client.Options{}).Ask(ctx, ask, func(comm.Event) {})
	if err != nil || again != reply {
		t.Errorf("asked again: %+v, %v", again, err)
	}
	if now, _ := brain.count(); now != answers {
		t.Errorf("asking again made %d further model calls", now-answers)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log.text())
	}
	starts, err := os.ReadFile(filepath.Join(dir, "starts"))
	if err != nil || string(starts) != "once\n" {
		t.Errorf("the tool started %q, %v", starts, err)
	}
	if strings.Contains(p.log.text(), "invariant") {
		t.Errorf("the self-check found something:\n%s", p.log.text())
	}
}

// awaitFifo waits until a named pipe is written to.
func awaitFifo(t *testing.T, path string) {
	t.Helper()
	if _, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
}

// releaseFifo unblocks the reader of a named pipe; without a reader it does nothing.
func releaseFifo(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("go\n")
	_ = f.Close()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
