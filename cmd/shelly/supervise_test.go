package main

import (
	"context"
	"fmt"
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

// supervisor plays systemd's part: a socket that receives the daemon's notifications, and a
// listener that it may have passed.
type supervisor struct {
	t     *testing.T
	data  string
	cmd   *exec.Cmd
	heard *net.UnixConn
	said  strings.Builder // the daemon's log
}

// superviseHang is how long a test waits for what should happen soon.
const superviseHang = 30 * time.Second

// passed is a listener that has a descriptor.
type passed interface{ File() (*os.File, error) }

// supervised starts the daemon with further environment variables and the passed listeners.
func supervised(t *testing.T, listeners []passed, variables ...string) *supervisor {
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
	for _, l := range listeners {
		f, err := l.File()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		s.cmd.ExtraFiles = append(s.cmd.ExtraFiles, f)
	}
	if n := len(listeners); n > 0 {
		s.cmd.Env = append(s.cmd.Env, fmt.Sprint("LISTEN_FDS=", n))
	}
	must(t, s.cmd.Start())
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
	must(s.t, s.heard.SetReadDeadline(time.Now().Add(superviseHang)))
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

// A supervisor is notified that the daemon is ready once it serves, that it reloads, and that
// it stops. A client reaches the daemon over the socket that the supervisor has bound, even
// before it is ready.
func TestDEP1ASupervisorHearsOfTheDaemon(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := supervised(t, []passed{l})
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
	must(s.t, s.cmd.Process.Signal(signal))
}

// A watchdog is pinged. If it is not, the abort that it sends ends the process by a signal,
// with the stacks of all goroutines.
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

// A passed socket that must not be used ends the start with 2.
func TestDEP3ASocketOfTheNetworkIsRefused(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4zero})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := supervised(t, []passed{l})
	if how := s.end(); how.ExitStatus() != 2 || !strings.Contains(s.said.String(), "loopback only") {
		t.Errorf("ended with %d: %s", how.ExitStatus(), s.said.String())
	}
}

// Both sockets are passed, with names: a client without a token comes in at the Unix socket
// while the daemon starts, finds its address in the data folder, and the socket stays when the
// daemon ends.
func TestDEP3ASocketOfTheFileSystemIsTaken(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "passed.sock")
	own, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	own.SetUnlinkOnClose(false)
	defer own.Close()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := supervised(t, []passed{own, l}, "LISTEN_FDNAMES=shelly.socket:shelly.socket")
	by := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	answer, err := by.Get("http://shelly/v1/status") // which waits in the socket's queue
	if err != nil {
		t.Fatalf("%v\n%s", err, s.said.String())
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d without a token", answer.StatusCode)
	}
	s.await("READY=1")
	at, err := client.ReadEndpoint(s.data)
	if err != nil || at.Unix != path || at.HTTP != l.Addr().String() {
		t.Errorf("it listens at %+v, %v", at, err)
	}
	if _, err := os.Lstat(filepath.Join(s.data, "shelly.sock")); err == nil {
		t.Error("it has bound a socket of its own, too")
	}
	if now, err := client.New(s.data, client.Options{}).Status(t.Context()); err != nil || len(now.Data) == 0 {
		t.Errorf("the command line: %v", err)
	}
	s.tell(syscall.SIGTERM)
	s.await("STOPPING=1")
	if how := s.end(); how.ExitStatus() != 0 {
		t.Errorf("ended with %v\n%s", how, s.said.String())
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the socket of the supervisor is gone: %v", err)
	}
}

// A passed socket ends the start with 2 if comm.unix is off.
func TestDEP3APassedSocketThatIsOffIsRefused(t *testing.T) {
	own, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	s := supervised(t, []passed{own}, "SHELLY_COMM_UNIX=off")
	if how := s.end(); how.ExitStatus() != 2 || !strings.Contains(s.said.String(), "comm.unix is off") {
		t.Errorf("ended with %d: %s", how.ExitStatus(), s.said.String())
	}
}
