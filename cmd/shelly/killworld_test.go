//go:build failpoint

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/comm/client"
	"shelly/runtime/store"
)

// killed is the daemon over a run in which it is killed and started again: the real
// binary with failpoints, on one data folder, with a model in this process.
type killed struct {
	t         testing.TB
	bin       string
	data, dir string // the data folder and the workspace
	brain     *killBrain
	env       []string
	args      []string
	doom      func(*life) // called with each process as it is started; nil: nothing
	talks     func() [][]*killAsk
	desk      *killDesk // the other end of its webhook, if it has one

	mu     sync.Mutex
	change *sync.Cond
	lives  int  // that have been started
	now    life // the latest that has come to serve
}

// life is one process of the daemon, and where it listens.
type life struct {
	number int // from 1
	udp    string
	token  string
	cmd    *exec.Cmd
	log    *logLines
	ended  chan struct{} // closed once it is gone
}

// buildKillable builds the real binary with its failpoints armed.
func buildKillable(t testing.TB) string {
	t.Helper()
	return buildShelly(t, "-ldflags", "-s -w -X shelly/runtime/failpoint.armed=yes")
}

func newKilled(t testing.TB, args ...string) *killed {
	t.Helper()
	k := &killed{t: t, bin: buildKillable(t), data: filepath.Join(t.TempDir(), "data"), dir: t.TempDir(), brain: &killBrain{}, talks: killConversations}
	k.change = sync.NewCond(&k.mu)
	k.past()
	k.env = []string{"OLLAMA_HOST=" + serveMock(t, k.brain)}
	k.args = append([]string{
		"run", "--data", k.data, "--workspace", k.dir, "--set", "comm.channels=[desk]", "--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=127.0.0.1:0",
	}, args...)
	return k
}

// killListening finds where the daemon listens for UDP in its log.
var killListening = regexp.MustCompile(`udp=(\S+)`)

// start starts a process and does not wait until it serves: it may be killed before.
func (k *killed) start(env ...string) *life {
	k.t.Helper()
	cmd := exec.Command(k.bin, k.args...)
	cmd.Env = append(append(os.Environ(), k.env...), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StderrPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	must(k.t, cmd.Start())
	k.t.Cleanup(func() { _ = cmd.Process.Kill() }) // where the test fails; else it is gone
	k.mu.Lock()
	k.lives++
	l := &life{number: k.lives, cmd: cmd, log: newLogLines(), ended: make(chan struct{})}
	k.mu.Unlock()
	go func() {
		l.log.read(bufio.NewScanner(out))
		_ = cmd.Wait() // cmd.ProcessState says how it ended
		close(l.ended)
	}()
	go k.serves(l)
	if k.doom != nil {
		k.doom(l)
	}
	return l
}

// serves tells the clients of a process once it serves.
func (k *killed) serves(l *life) {
	at, ok := l.log.reach("listening")
	if _, serving := l.log.reach("state=serving"); !ok || !serving {
		return
	}
	found := killListening.FindStringSubmatch(at)
	token, err := client.ReadToken(k.data)
	if found == nil || err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	l.udp, l.token = found[1], token
	k.now = *l
	k.change.Broadcast()
}

// await returns the first process after the given number that serves.
func (k *killed) await(ctx context.Context, after int) (life, error) {
	stop := context.AfterFunc(ctx, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.change.Broadcast()
	})
	defer stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.now.number <= after && ctx.Err() == nil {
		k.change.Wait()
	}
	if err := ctx.Err(); err != nil {
		return life{}, fmt.Errorf("no process after number %d has come to serve: %w", after, err)
	}
	return k.now, nil
}

// kill ends a process as a power failure does.
func (l *life) kill() {
	l.signalKill()
	<-l.ended
}

func (l *life) signalKill() {
	_ = l.cmd.Process.Signal(syscall.SIGKILL) // it may be gone already
}

// awaitLine waits until n lines are logged, or the daemon has ended.
func (l *logLines) awaitLine(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.lines) < n && !l.ended {
		l.more.Wait()
	}
}

// wasKilled reports whether an ended process was killed.
func (l *life) wasKilled() bool {
	status, ok := l.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// stop ends a process with a farewell and fails the test where it does not end well.
// It reports whether the process was killed on the way.
func (k *killed) stop(l *life) (killed bool) {
	k.t.Helper()
	_ = l.cmd.Process.Signal(syscall.SIGTERM)
	<-l.ended
	if l.wasKilled() {
		return true
	}
	if code := l.cmd.ProcessState.ExitCode(); code != 0 {
		k.t.Errorf("exit code %d\n%s", code, l.log.text())
	}
	return false
}

// pastRecords is how many records the journal of each run begins with, so that the
// first snapshot comes in its midst.
const pastRecords = engine.SnapshotEvery - 40

// store opens the journal of a daemon that does not run.
func (k *killed) store() *store.Store {
	k.t.Helper()
	s, err := store.Open(filepath.Join(k.data, "store"), store.Options{})
	if err != nil {
		k.t.Fatal(err)
	}
	return s
}

// past writes a journal to begin with: an old boot that may go, and timers of today that
// mean nothing.
func (k *killed) past() {
	k.t.Helper()
	s := k.store()
	e, err := engine.Open(s, killIdle{})
	if err != nil {
		k.t.Fatal(err)
	}
	err = e.Turn(fsm.Input{At: 1, Fact: fsm.Boot{Config: profile.Nanobot()}})
	if err == nil {
		err = s.SaveSnapshot(e.Last(), e.Machine().Snapshot())
	}
	var inputs []fsm.Input
	for len(inputs) < pastRecords {
		inputs = append(inputs, fsm.Input{At: fsm.Millis(time.Now().UnixMilli()), Fact: fsm.TimerFired{Timer: 1 << 40}})
	}
	if err == nil {
		err = e.Turn(inputs...)
	}
	must(k.t, errors.Join(err, s.Close()))
}

// killIdle performs nothing.
type killIdle struct{}

func (killIdle) Perform(fsm.Effect) error { return nil }
