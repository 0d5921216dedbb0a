//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"shelly/fsm"
	"shelly/runtime/mock"
)

// brokenBrain is a model whose first answers break off in the middle, and whose next one is
// whole.
type brokenBrain struct {
	cuts  atomic.Int32  // that are still to come
	begun chan struct{} // gets each of those
	says  []string      // pieces
}

func (b *brokenBrain) Answer(_ context.Context, q mock.Question) (mock.Answer, error) {
	switch {
	case q.Purpose != string(fsm.PurposeAnswer):
		return mock.Answer{Text: "Noted."}, nil
	case b.cuts.Add(-1) >= 0:
		b.begun <- struct{}{}
		return mock.Answer{Pieces: []mock.Piece{{Text: "One. T"}}, Hang: true}, nil
	}
	a := mock.Answer{}
	for _, text := range b.says {
		a.Pieces = append(a.Pieces, mock.Piece{Text: text})
	}
	return a, nil
}

// newBrokenBrain returns a brokenBrain whose last answer comes in pieces.
func newBrokenBrain(cuts int, says ...string) *brokenBrain {
	b := &brokenBrain{begun: make(chan struct{}, cuts), says: says}
	b.cuts.Store(int32(cuts))
	return b
}

// atTerminal starts a command line on its own terminal, and returns what that shows.
func (p *process) atTerminal(args ...string) (*exec.Cmd, *screen, *os.File) {
	p.t.Helper()
	person, program, err := openTerminal()
	if err != nil {
		p.t.Fatal(err)
	}
	c := exec.Command(p.bin, append(args, "--data", p.data)...)
	c.Stdin, c.Stdout, c.Stderr = program, program, program
	c.Env = append(os.Environ(), "TERM=xterm")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = c.Start()
	_ = program.Close()
	if err != nil {
		p.t.Fatal(err)
	}
	shown := &screen{more: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(shown.ended)
		for buf := make([]byte, 4096); ; {
			n, err := person.Read(buf)
			_, _ = shown.Write(buf[:n])
			if err != nil { // nobody has the other end any more
				return
			}
		}
	}()
	p.t.Cleanup(func() {
		_ = c.Process.Kill() // it may be gone already
		<-shown.ended
		_ = person.Close()
	})
	return c, shown, person
}

// The daemon is killed, or stopped, in the middle of an answer, while `shelly ask` shows it on
// a terminal. What the terminal shows in the end is the answer: nothing is doubled and nothing
// is missing (CLI-214, COM-90).
func TestCLI214AnAnswerThatIsCutIsShownOnce(t *testing.T) {
	bin := buildShelly(t)
	kill := func(p *process) { p.kill() }
	stop := func(p *process) { p.stop() }
	for name, c := range map[string]struct { // order-free: each has its own daemon
		cuts []func(*process)
		says []string
		want string
	}{
		"killed, and the same answer": {[]func(*process){kill}, []string{"On", "e. Tw", "o three."}, "One. Two three."},
		"killed, and another answer":  {[]func(*process){kill}, []string{"Onc", "e more."}, "Once more."},
		"killed twice":                {[]func(*process){kill, kill}, []string{"One. ", "Two three."}, "One. Two three."},
		"stopped":                     {[]func(*process){stop}, []string{"One. Two", " three."}, "One. Two three."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			brain := newBrokenBrain(len(c.cuts), c.says...)
			p := &process{
				t: t, bin: bin, data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(), env: []string{"OLLAMA_HOST=" + serveMock(t, brain)},
				args: []string{"--set", "init=off", "--set", "limits.grace=1ms"},
			}
			p.start()
			asks, shown, _ := p.atTerminal("ask", "tell")
			streams := shown.await(t, 0, `One\. T`)
			for _, cut := range c.cuts {
				<-brain.begun
				cut(p)
				p.start()
			}
			if err := asks.Wait(); err != nil {
				t.Errorf("shelly ask: %v", err)
			}
			shown.await(t, streams, regexp.QuoteMeta(c.says[len(c.says)-1][1:]))
			<-shown.ended // the program may be gone before all it wrote is read
			if got := shownAnswer(shown.String()); got != c.want {
				t.Errorf("%q stands there\n%s", got, shown.String())
			}
			p.kill()
		})
	}
}

// The same in a chat, which waits for the daemon however long it is away (CLI-154).
func TestCLI154AChatShowsTheRestOfAnAnswerAfterAKill(t *testing.T) {
	brain := newBrokenBrain(1, "One. Tw", "o three.")
	p := &process{
		t: t, bin: buildShelly(t), data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(), env: []string{"OLLAMA_HOST=" + serveMock(t, brain)},
		args: []string{"--set", "init=off"},
	}
	p.start()
	_, shown, person := p.atTerminal("chat")
	ready := shown.await(t, 0, `› `)
	if _, err := person.WriteString("tell\r"); err != nil {
		t.Fatal(err)
	}
	at := shown.await(t, ready, `One\. T`)
	p.kill()
	at = shown.await(t, at, `no answer from shelly; trying again`)
	p.start()
	shown.await(t, at, `One\. Two three\.`)
	if text := shown.String(); strings.Contains(text, "begins again") {
		t.Errorf("it is shown as another answer:\n%q", text)
	}
	p.kill()
}

// beside matches the lines that go to standard error: progress, and the tools' actions and
// output.
var beside = regexp.MustCompile(`^(·|→|←|✗|\?|  )`)

// shownAnswer returns the answer on a terminal: the lines that are not other lines. A line of
// the answer that another line interrupts continues after it.
func shownAnswer(written string) string {
	answer := ""
	for line := range strings.Lines(erased.ReplaceAllString(strings.ReplaceAll(written, "\r\n", "\n"), "")) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "· the answer begins again":
			answer = ""
		case !beside.MatchString(line):
			answer += line
		}
	}
	return answer
}

// erased matches what was drawn and erased again.
var erased = regexp.MustCompile(`(\r[^\r\n]*\x1b\[K)+\r\x1b\[K`)
