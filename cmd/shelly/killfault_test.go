//go:build failpoint

package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/mock"
)

// killServes starts a process and waits until it serves.
func (k *killed) killServes(ctx context.Context) (*life, life) {
	k.t.Helper()
	l := k.start()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-l.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	now, err := k.await(ctx, l.number-1)
	if err != nil {
		k.t.Fatalf("%v\n%s", err, l.log.text())
	}
	return l, now
}

// killInstead puts a handler before the model's: where it returns true it has answered.
func (k *killed) killInstead(answers func(http.ResponseWriter, *http.Request) bool) {
	k.t.Helper()
	model := mock.New(mock.Options{Brain: k.brain, EmbedDims: 16})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat" || !answers(w, r) {
			model.ServeHTTP(w, r)
		}
	}))
	k.t.Cleanup(s.Close)
	k.env = append(k.env, "OLLAMA_HOST="+s.Listener.Addr().String())
}

// A model that is busy is asked again after a wait, and the requests of a session are
// answered in their order (BRN-7, INF-15, SES-2).
func TestFaultABusyModelIsWaitedFor(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	k := newKilled(t, append(killArgs(), "--set", "limits.backoff=10ms,10ms,10ms")...)
	var calls atomic.Int64
	k.killInstead(func(w http.ResponseWriter, _ *http.Request) bool {
		if calls.Add(1) > 3 {
			return false
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"error":"server busy, please try again. maximum pending requests exceeded"}`))
		return true
	})
	l, now := k.killServes(ctx)
	conn, err := net.Dial("udp", now.udp)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ids := []string{"b1", "b2", "b3"}
	for _, id := range ids {
		letter, err := json.Marshal(map[string]string{"id": id, "text": "tell " + id, "session": "s", "token": now.token})
		if err == nil {
			_, err = conn.Write(letter)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var replies []string
	_ = conn.SetReadDeadline(time.Now().Add(guard))
	for buffer := make([]byte, 1<<16); len(replies) < len(ids); {
		n, err := conn.Read(buffer)
		if err != nil {
			t.Fatalf("%v\n%s", err, l.log.text())
		}
		var d struct{ Type, Content string }
		must(t, json.Unmarshal(buffer[:n], &d))
		if d.Type == "reply" {
			replies = append(replies, d.Content)
		}
	}
	if got := strings.Join(replies, ", "); got != "told b1, told b2, told b3" {
		t.Errorf("replies %s", got)
	}
	k.stop(l)
}

// A process that is stopped for longer than the model may take, and then goes on, asks
// again or takes the answer: it sends its message and its reply once (BRN-8, JRN-12).
func TestFaultAProcessThatIsSuspendedSendsNothingTwice(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	const patience = 300 * time.Millisecond
	k := newKilled(t, append(killArgs(),
		"--set", "limits.backoff=10ms,10ms,10ms", "--set", "brain.timeouts.first_token="+patience.String(), "--set", "brain.timeouts.idle="+patience.String())...)
	asked, answer := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	k.killInstead(func(http.ResponseWriter, *http.Request) bool {
		if calls.Add(1) == 3 { // the command and the message are done
			close(asked)
			<-answer
		}
		return false
	})
	l, now := k.killServes(ctx)
	a := &killAsk{id: "s1", session: "s", text: "run s1", udp: true}
	done := make(chan error, 1)
	go func() { done <- k.askOf(ctx, now, a) }()
	<-asked
	must(t, l.cmd.Process.Signal(syscall.SIGSTOP))
	<-time.After(2 * patience) // it is the time itself that is tested
	close(answer)
	must(t, l.cmd.Process.Signal(syscall.SIGCONT))
	if err := <-done; err != nil || a.reply != "ran s1: ok" {
		t.Errorf("got %q, %v; want %q\n%s", a.reply, err, "ran s1: ok", l.log.text())
	}
	k.again(ctx, l, []*killAsk{a})
	k.stop(l)
	if kept := k.kept(a); kept != 1 {
		t.Errorf("the request is in the journal %d times", kept)
	}
	k.killOnce([]*killAsk{a})
}

// A model server that goes down between two calls of a tool loop and comes back is asked
// again, and the loop continues where it was (INF-15).
func TestFaultTheModelRestartsWithinAToolLoop(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	k := newKilled(t, append(killArgs(), "--set", "limits.backoff="+strings.Repeat("50ms,", 63)+"50ms")...)
	model := mock.New(mock.Options{Brain: k.brain, EmbedDims: 16})
	var calls atomic.Int64
	down := make(chan struct{})
	var first *httptest.Server
	first = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" && calls.Add(1) == 2 { // the command has run
			_ = first.Listener.Close()
			first.Config.SetKeepAlivesEnabled(false)
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
			close(down)
			return
		}
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(first.Close)
	address := first.Listener.Addr().String()
	k.env = append(k.env, "OLLAMA_HOST="+address)
	l, now := k.killServes(ctx)
	a := &killAsk{id: "r1", session: "s", text: "run r1", udp: true}
	done := make(chan error, 1)
	go func() { done <- k.askOf(ctx, now, a) }()
	<-down
	if _, ok := l.log.reach("state=backing_off"); !ok {
		t.Fatal(l.log.text())
	}
	in, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	second := &http.Server{Handler: model}
	go func() { _ = second.Serve(in) }()
	defer func() { _ = second.Close() }()
	if err := <-done; err != nil || a.reply != "ran r1: ok" {
		t.Errorf("got %q, %v; want %q\n%s", a.reply, err, "ran r1: ok", l.log.text())
	}
	k.stop(l)
	k.killOnce([]*killAsk{a})
}

// While a tool of one session runs without end, another session is answered (SES-2).
func TestFaultASessionInAToolHoldsNobodyUp(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	k := newKilled(t, killArgs()...)
	must(t, syscall.Mkfifo(filepath.Join(k.dir, "pipe"), 0o600))
	l, now := k.killServes(ctx)
	slow := &killAsk{id: "slow", session: "slow", text: "wait slow", udp: true}
	done := make(chan error, 1)
	go func() { done <- k.askOf(ctx, now, slow) }()
	if _, ok := l.log.reach("tool started"); !ok {
		t.Fatal(l.log.text())
	}
	for _, id := range []string{"q1", "q2", "q3"} {
		quick := &killAsk{id: id, session: "quick", text: "tell " + id, udp: true}
		if err := k.askOf(ctx, now, quick); err != nil || quick.reply != "told "+id {
			t.Errorf("got %q, %v; want %q\n%s", quick.reply, err, "told "+id, l.log.text())
		}
	}
	must(t, os.WriteFile(filepath.Join(k.dir, "pipe"), []byte("go on\n"), 0o600))
	if err := <-done; err != nil || slow.reply != "waited slow" {
		t.Errorf("got %q, %v; want %q", slow.reply, err, "waited slow")
	}
	k.stop(l)
}

// killLimit sets how many files a process may have open.
func killLimit(t *testing.T, pid int, files uint64) {
	t.Helper()
	limit := syscall.Rlimit{Cur: files, Max: 1 << 10}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(pid), syscall.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
}

// A daemon that can open no further file lets what needs one wait, keeps its store, and
// does it once there are files again. One that cannot even start says why, and the next
// has all that was there (JRN-9, CFG-15, LIF-2).
func TestFaultOutOfFileDescriptors(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), guard)
	defer cancel()
	k := newKilled(t, killArgs()...)
	l, now := k.killServes(ctx)
	killLimit(t, l.cmd.Process.Pid, 3) // those are open already
	waits, a := &killAsk{id: "waits", session: "s", text: "tell waits", udp: true}, killTold(true)
	done := make(chan error, 1)
	go func() { done <- k.askOf(ctx, now, waits) }()
	if _, ok := l.log.reach("state=loading"); !ok {
		t.Fatal(l.log.text())
	}
	killLimit(t, l.cmd.Process.Pid, 1<<10)
	if err := <-done; err != nil || waits.reply != "told waits" {
		t.Errorf("with files again: %q, %v\n%s", waits.reply, err, l.log.text())
	}
	if err := k.askOf(ctx, now, a); err != nil || a.reply != "told one" {
		t.Errorf("with files again: %q, %v\n%s", a.reply, err, l.log.text())
	}
	k.stop(l)
	for _, a := range []*killAsk{waits, a} {
		if kept := k.kept(a); kept != 1 {
			t.Errorf("request %s is in the journal %d times", a.id, kept)
		}
	}

	starved := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", `ulimit -n 12; exec "$0" "$@"`, k.bin}, k.args...)...)
	starved.Env = append(os.Environ(), k.env...)
	if out, err := starved.CombinedOutput(); err == nil || !strings.Contains(string(out), "too many open files") {
		t.Errorf("started with 12 files: %v\n%s", err, out)
	}
	l, _ = k.killServes(ctx)
	k.again(ctx, l, []*killAsk{waits, a})
	k.stop(l)
}

// A data folder that cannot be written, made or entered refuses the start with its path,
// the reason and exit code 6 (LIF-2, CLI-2).
func TestFaultADataFolderThatCannotBeUsed(t *testing.T) {
	bin := buildKillable(t)
	home := t.TempDir()
	for _, dir := range []string{filepath.Dir(filepath.Dir(bin)), filepath.Dir(bin), filepath.Dir(home)} {
		must(t, os.Chmod(dir, 0o755))
	}
	var nobody *syscall.Credential
	if os.Geteuid() == 0 { // who may everything
		nobody = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	file := filepath.Join(home, "file")
	for path, err := range map[string]error{ // order-free: they have nothing in common
		"locked": os.Mkdir(filepath.Join(home, "locked"), 0o500),
		"file":   os.WriteFile(file, nil, 0o600),
		"work":   os.Mkdir(filepath.Join(home, "work"), 0o755),
	} {
		if err != nil {
			t.Fatal(path, err)
		}
	}
	if nobody != nil {
		must(t, os.Chown(filepath.Join(home, "locked"), 65534, 65534))
	}
	for _, c := range []struct{ name, data, says string }{
		{"read-only", filepath.Join(home, "locked"), "permission denied"},
		{"below one that is read-only", filepath.Join(home, "locked", "a", "b"), "permission denied"},
		{"below a file", filepath.Join(file, "data"), "a file stands where"},
		{"another's", "/root", "is root's: if it is shelly's alone, give it"},
	} {
		if c.name == "another's" {
			if info, err := os.Stat("/root"); nobody == nil || err != nil || info.Mode().Perm()&0o077 != 0 {
				continue
			}
		}
		cmd := exec.Command(bin, "run", "--brain", "demo", "--data", c.data, "--workspace", filepath.Join(home, "work"),
			"--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=off")
		cmd.Env = []string{"HOME=" + home}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exit.Data || !strings.Contains(string(out), c.data) || !strings.Contains(string(out), c.says) {
			t.Errorf("%s: exit code %d, want %d, and %q:\n%s", c.name, code, exit.Data, c.says, out)
		}
	}
}
