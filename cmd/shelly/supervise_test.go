package main

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/comm/client"
)

// supervisor is what systemd is to a daemon: a socket that hears how it is, and one that it
// may have been passed.
type supervisor struct {
	t     *testing.T
	data  string
	cmd   *exec.Cmd
	heard *net.UnixConn
	said  strings.Builder // the daemon's log
}

// superviseHang is how long a test waits for what should come soon.
const superviseHang = 30 * time.Second

// supervised starts the daemon with further variables, passing it a listener if there is one.
func supervised(t *testing.T, passed *net.TCPListener, variables ...string) *supervisor {
	t.Helper()
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &supervisor{t: t, data: filepath.Join(dir, "data")}
	at := filepath.Join(dir, "notify")
	if s.heard, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: at, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.heard.Close() })
	// The variable with its own id can only be set by the process itself.
	s.cmd = exec.Command("/bin/sh", "-c", `LISTEN_PID=$$; export LISTEN_PID; exec "$@"`, "sh", bin, "run", "--brain", "demo",
		"--data", s.data, "--workspace", dir, "--set", "init=off", "--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=127.0.0.1:0")
	s.cmd.Env = append(os.Environ(), append([]string{"HOME=" + dir, "NOTIFY_SOCKET=" + at}, variables...)...)
	s.cmd.Stderr = &s.said
	if passed != nil {
		f, err := passed.File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s.cmd.ExtraFiles = []*os.File{f}
		s.cmd.Env = append(s.cmd.Env, "LISTEN_FDS=1")
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	return s
}

// await returns the first message with a line, and all lines before it.
func (s *supervisor) await(line string) (before []string) {
	s.t.Helper()
	if err := s.heard.SetReadDeadline(time.Now().Add(superviseHang)); err != nil {
		s.t.Fatal(err)
	}
	for buffer := make([]byte, 4096); ; {
		n, err := s.heard.Read(buffer)
		if err != nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait() // so that nobody writes to its log any more
			s.t.Fatalf("waiting for %s: %v; heard %q\n%s", line, err, before, s.said.String())
		}
		lines := strings.Split(string(buffer[:n]), "\n")
		if slices.Contains(lines, line) {
			return before
		}
		before = append(before, lines...)
	}
}

// end waits for the end of the process and returns how it ended.
func (s *supervisor) end() syscall.WaitStatus {
	s.t.Helper()
	hang := time.AfterFunc(superviseHang, func() { _ = s.cmd.Process.Kill() })
	defer hang.Stop()
	_ = s.cmd.Wait() // how it ended is in its state
	return s.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// A supervisor hears that the daemon is ready once it serves, that it reloads, and that it
// stops; a client reaches the daemon by the socket that the supervisor has bound, also before
// it is ready.
func TestDEP1ASupervisorOfTheDaemon(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := supervised(t, l)
	asked := make(chan error, 1)
	go func() { // answered by whoever takes it from the socket
		answer, err := http.Get("http://" + l.Addr().String() + "/v1/status")
		if err == nil {
			answer.Body.Close()
		}
		asked <- err
	}()
	s.await("READY=1")
	at, err := client.ReadEndpoint(s.data)
	if err != nil || at.HTTP != l.Addr().String() {
		t.Errorf("it listens on %q, %v; want the socket that was passed, %s", at.HTTP, err, l.Addr())
	}
	if status := client.New(s.data, client.Options{}); status != nil {
		now, err := status.Status(context.Background())
		if err != nil || now.Lifecycle != "serving" {
			t.Errorf("it said that it is ready, and is %q, %v", now.Lifecycle, err)
		}
	}
	if err := <-asked; err != nil {
		t.Errorf("who asked before it was ready: %v", err)
	}
	s.tell(syscall.SIGHUP)
	s.await("RELOADING=1")
	s.await("READY=1")
	s.tell(syscall.SIGTERM)
	s.await("STOPPING=1")
	if how := s.end(); how.ExitStatus() != 0 {
		t.Errorf("ended with %v\n%s", how, s.said.String())
	}
}

func (s *supervisor) tell(signal syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// A watchdog is pinged; the abort that it sends one that is not ends the process by a signal,
// with where each goroutine was.
func TestDEP4TheWatchdogsAbortIsASignal(t *testing.T) {
	s := supervised(t, nil, "WATCHDOG_USEC=400000")
	s.await("READY=1")
	s.await("WATCHDOG=1")
	s.await("WATCHDOG=1")
	s.tell(syscall.SIGABRT)
	how := s.end()
	if !how.Signaled() || how.Signal() != syscall.SIGABRT {
		t.Errorf("ended with status %d; want the signal", how.ExitStatus())
	}
	if !strings.Contains(s.said.String(), "daemon.(*Daemon).Run") {
		t.Error("it does not say where its loop was")
	}
}

// What is passed and may not be taken ends the start with 2.
func TestDEP3ASocketOfTheNetworkIsRefused(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4zero})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := supervised(t, l)
	if how := s.end(); how.ExitStatus() != 2 || !strings.Contains(s.said.String(), "loopback only") {
		t.Errorf("ended with %d: %s", how.ExitStatus(), s.said.String())
	}
}
