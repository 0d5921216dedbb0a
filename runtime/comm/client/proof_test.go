package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/process"
)

// squatter has taken the port of a daemon and keeps what it is sent.
type squatter struct {
	l    net.Listener
	busy sync.WaitGroup

	mu    sync.Mutex
	heard strings.Builder
}

// Write implements [io.Writer].
func (s *squatter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.Write(p)
}

func (s *squatter) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard.String()
}

// squat listens where the endpoint file says that the daemon does. Answer has the
// connection after the first request was read from it.
func (d *daemon) squat(e client.Endpoint, answer func(net.Conn, *http.Request)) *squatter {
	d.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	s := &squatter{l: l}
	s.busy.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.busy.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(io.TeeReader(conn, s))
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				answer(conn, r)
				_, _ = io.Copy(io.Discard, in)
			})
		}
	})
	d.t.Cleanup(func() {
		_ = l.Close()
		s.busy.Wait()
	})
	e.HTTP = l.Addr().String()
	must(d.t, client.WriteEndpoint(d.dir, e))
	return s
}

// A program that has the port of a stale endpoint.json cannot get the token with any answer
// (COM-18).
func TestCOM18TheTokenIsSentToNobodyWhoCannotProveThatHeKnowsIt(t *testing.T) {
	says := func(body string) func(net.Conn, *http.Request) {
		return func(conn net.Conn, _ *http.Request) {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
	}
	var real string // where the daemon itself listens
	for name, answer := range map[string]func(net.Conn, *http.Request){
		"an empty object": says("{}"),
		"an empty proof":  says(`{"proof":""}`),
		"an old proof":    says(`{"proof":"` + comm.Proof(strings.Repeat("y", 64), "127.0.0.1:1", "00") + `"}`),
		"the challenge": func(conn net.Conn, r *http.Request) {
			says(`{"proof":"`+r.FormValue("challenge")+`"}`)(conn, r)
		},
		"a word and no HTTP": func(conn net.Conn, _ *http.Request) { _, _ = io.WriteString(conn, "+OK ready\r\n") },
		"without an end": func(conn net.Conn, _ *http.Request) {
			for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n"); err == nil; {
				_, err = io.WriteString(conn, strings.Repeat("{", 1<<16))
			}
		},
		"headers without an end": func(conn net.Conn, _ *http.Request) {
			for _, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\n"); err == nil; {
				_, err = io.WriteString(conn, "A: "+strings.Repeat("b", 1<<10)+"\r\n")
			}
		},
		"a redirect": func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /v1/status\r\nContent-Length: 0\r\n\r\n")
		},
		"an invitation": func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")
		},
		"the daemon's own proof, passed on": func(conn net.Conn, r *http.Request) {
			answer, err := http.Get("http://" + real + comm.ProofRoute + "?" + r.URL.RawQuery)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			if answer.StatusCode != http.StatusOK {
				t.Errorf("the daemon answers %s", answer.Status)
			}
			_ = answer.Write(conn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDaemon(t)
			at, err := client.ReadEndpoint(d.dir)
			if err != nil {
				t.Fatal(err)
			}
			real = at.HTTP
			defer http.DefaultClient.CloseIdleConnections()
			s := d.squat(at, answer)
			_, asking := d.client.Ask(t.Context(), client.AskRequest{Text: "a secret wish"}, nil)
			_, status := d.client.Status(t.Context())
			for _, err := range []error{asking, status} {
				if !errors.Is(err, client.ErrUnauthorized) || !strings.Contains(err.Error(), "was not sent") {
					t.Errorf("got %v; want %v, an error with %q", err, client.ErrUnauthorized, "was not sent")
				}
			}
			s.heardNothing(t, d.dir)
		})
	}
}

func (s *squatter) heardNothing(t *testing.T, dir string) {
	t.Helper()
	token, err := client.ReadToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	heard := s.text()
	if strings.Contains(heard, token) || strings.Contains(heard, "secret wish") || strings.Contains(heard, "Authorization") {
		t.Errorf("it was told:\n%s", heard)
	}
	if !strings.Contains(heard, comm.ProofRoute) {
		t.Errorf("it was not asked for a proof:\n%s", heard)
	}
}

// A listener that says nothing is a stranger; one that goes away may be a daemon that was just
// killed.
func TestCOM18SilenceAndABrokenConnectionProveNothing(t *testing.T) {
	d := newDaemon(t)
	d.client = client.New(d.dir, client.Options{Pause: d.pause, ProofMax: 20 * time.Millisecond})
	silent := d.squat(client.Endpoint{}, func(net.Conn, *http.Request) {})
	if _, err := d.client.Status(t.Context()); !errors.Is(err, client.ErrUnauthorized) {
		t.Errorf("silent: %v", err)
	}
	silent.heardNothing(t, d.dir)
	if started := process.Started(os.Getpid()); started != "" { // the daemon's process lives
		suspended := d.squat(client.Endpoint{PID: os.Getpid(), Start: started}, func(net.Conn, *http.Request) {})
		if _, err := d.client.Status(t.Context()); !errors.Is(err, client.ErrSilent) || errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("suspended: %v", err)
		}
		suspended.heardNothing(t, d.dir)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan struct{})
	waiting := d.squat(client.Endpoint{}, func(conn net.Conn, _ *http.Request) {
		cancel()
		<-told
		_ = conn.Close()
	})
	_, err := client.New(d.dir, client.Options{}).Status(ctx)
	close(told)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	waiting.heardNothing(t, d.dir)
	gone := d.squat(client.Endpoint{}, func(conn net.Conn, _ *http.Request) { _ = conn.Close() })
	if _, err := d.client.Ask(t.Context(), client.AskRequest{Text: "a secret wish"}, nil); !errors.Is(err, client.ErrInterrupted) || len(d.paused()) != client.TriesMax {
		t.Errorf("gone: %v after %d pauses", err, len(d.paused()))
	}
	gone.heardNothing(t, d.dir)
}

// A daemon that is suspended is named as such, without waiting as long as a slow one may take.
func TestCOM18ASuspendedDaemonIsNamed(t *testing.T) {
	if process.Started(os.Getpid()) == "" {
		t.Skip("this system does not tell")
	}
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err == nil {
		err = syscall.Kill(child.Process.Pid, syscall.SIGSTOP)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(syscall.Kill(child.Process.Pid, syscall.SIGCONT), in.Close(), child.Wait()) })
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
		t.Fatal(err)
	}
	d := newDaemon(t)
	d.client = client.New(d.dir, client.Options{ProofMax: time.Hour})
	silent := func(net.Conn, *http.Request) {}
	d.squat(client.Endpoint{PID: child.Process.Pid, Start: process.Started(child.Process.Pid)}, silent)
	_, err = d.client.Status(t.Context())
	if want := fmt.Sprintf("is suspended: continue it with kill -CONT %d", child.Process.Pid); !errors.Is(err, client.ErrSilent) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// If the daemon that wrote endpoint.json has ended, the error says that none is running.
func TestCOM18AStaleEndpointIsNotARunningDaemon(t *testing.T) {
	d := newDaemon(t)
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	left := client.Endpoint{PID: child.Process.Pid, Start: process.Started(child.Process.Pid)}
	_ = in.Close()
	_ = child.Wait()
	if left.Start == "" {
		t.Skip("this system does not tell when a process was started")
	}
	another := client.Endpoint{PID: os.Getpid(), Start: left.Start}
	for _, at := range []client.Endpoint{left, another} {
		s := d.squat(at, func(conn net.Conn, _ *http.Request) { _, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\n\r\n") })
		if _, err := d.client.Status(t.Context()); !errors.Is(err, client.ErrNotRunning) || !strings.Contains(err.Error(), "another program answers at ") {
			t.Errorf("got %v; want %v, an error with %q", err, client.ErrNotRunning, "another program answers at ")
		}
		s.heardNothing(t, d.dir)
	}
	// A service manager that holds the socket accepts nothing until the daemon is there again.
	d.client = client.New(d.dir, client.Options{ProofMax: time.Millisecond})
	s := d.squat(left, func(net.Conn, *http.Request) {})
	if _, err := d.client.Status(t.Context()); !errors.Is(err, client.ErrNotRunning) || !strings.Contains(err.Error(), "says nothing; if a service manager") {
		t.Errorf("of one that is silent: %v", err)
	}
	s.heardNothing(t, d.dir)
}

func TestCOM91ADaemonWithoutAnAddressIsFoundAtItsSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := newDaemon(t)
	d.stop()
	l, err := net.Listen("unix", filepath.Join(dir, "s.sock"))
	if err != nil {
		t.Skip("there are no sockets in the file system: ", err)
	}
	d.at(l, client.Endpoint{Unix: l.Addr().String(), PID: os.Getpid()})
	if _, err := d.client.Status(t.Context()); err != nil {
		t.Error(err)
	}
	answer, err := d.client.MCP(t.Context(), http.Header{}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusNotFound { // this listener has no MCP server
		t.Errorf("got %s, %v; want status %d", answer.Status, err, http.StatusNotFound)
	}
}
