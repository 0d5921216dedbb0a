package comm_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"shelly/fsm/state"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

var ask = call{method: "GET", path: "/v1/status"}

// wire is a connection that a test holds.
type wire struct {
	net.Conn
	in *bufio.Reader
}

func (s *site) wire() *wire {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(hang))
	return &wire{c, bufio.NewReader(c)}
}

// get asks on the connection, and returns the status, or 0 where it was closed.
func (w *wire) get(path, header string) int {
	_, _ = io.WriteString(w, "GET "+path+" HTTP/1.1\r\nHost: "+w.RemoteAddr().String()+"\r\n"+header+"\r\n") // one that is closed says so below
	r, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

const shown = "Authorization: Bearer " + token + "\r\n"

// Connections that send nothing, or show no token, take no place from those with a token
// (COM-19).
func TestCOM19TheOldestStrangerMakesRoom(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ConnectionsMax, o.ReadTimeout = 8, hang })
	known := s.wire()
	if got := known.get("/v1/status", shown); got != http.StatusOK {
		t.Fatalf("status %d", got)
	}
	var silent []*wire
	for range 20 {
		silent = append(silent, s.wire())
	}
	var status comm.Status
	if r := s.do(ask, &status); r.StatusCode != http.StatusOK {
		t.Errorf("status %d among strangers", r.StatusCode)
	}
	for i, w := range silent {
		want := 0
		if i >= 20-3 { // four strangers, one of which was the one that asked
			want = http.StatusOK
		}
		if got := w.get("/healthz", ""); got != want {
			t.Errorf("the stranger of number %d: status %d, want %d", i, got, want)
		}
	}
	if got := known.get("/v1/status", shown); got != http.StatusOK {
		t.Errorf("the one with the token: status %d", got)
	}
}

// Of the connections with a token, the one that has been idle longest makes room.
// Which one it is, the listener's own test says: when one is idle, only the server knows.
func TestCOM19AnIdleOneMakesRoom(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ConnectionsMax = 4 })
	var idle []*wire
	for range 4 {
		w := s.wire()
		if got := w.get("/v1/status", shown); got != http.StatusOK {
			t.Fatalf("status %d", got)
		}
		idle = append(idle, w)
	}
	var status comm.Status
	if r := s.do(ask, &status); r.StatusCode != http.StatusOK {
		t.Errorf("status %d among idle ones", r.StatusCode)
	}
	open := 0
	for _, w := range idle {
		if w.get("/v1/status", shown) == http.StatusOK {
			open++
		}
	}
	if open != 3 {
		t.Errorf("%d of 4 are open, not 3", open)
	}
}

// If all are at work, a new connection waits instead of being refused.
func TestCOM19WhereAllAreAtWorkANewConnectionWaits(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ConnectionsMax, o.StreamsMax = 2, 2 })
	first := eventsOf(t, s.start(streamed))
	first.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	second := eventsOf(t, s.start(call{method: "POST", path: "/v1/requests?stream=1", body: `{"id":"m2","text":"hello"}`}))
	second.want(comm.Event{Type: comm.EventAccepted, ID: "m2"})
	s.await(func(n fronttest.Seen) bool { return n.Watching == 2 })
	third := make(chan int, 1)
	w := s.wire() // the system has it, the listener has not
	go func() { third <- w.get("/v1/status", shown) }()
	s.front.Reply(httpKey("m1"), "hi", false)
	if got := <-third; got != http.StatusOK {
		t.Errorf("status %d", got)
	}
	s.front.Reply(httpKey("m2"), "hi", false)
	second.want(comm.Event{Type: comm.EventState, State: state.Queued})
	second.want(comm.Event{Type: comm.EventReply, Text: "hi"})
}

// scarce is a listener in a process that has no descriptor left for a while.
type scarce struct {
	net.Listener
	left atomic.Int32
}

func (l *scarce) Accept() (net.Conn, error) {
	if l.left.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
	}
	return l.Listener.Accept()
}

func TestCFG15AListenerWithoutADescriptorWaits(t *testing.T) {
	for _, shortages := range []int32{3, 1 << 30} {
		h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
		if err != nil {
			t.Fatal(err)
		}
		inner, err := listener.TCP("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l := &scarce{Listener: inner}
		l.left.Store(shortages)
		s := &site{t: t, address: inner.Addr().String()}
		stop := serving(t, func(ctx context.Context) error { return h.Serve(ctx, l) })
		w := s.wire()
		if shortages < 100 {
			if got := w.get("/v1/status", shown); got != http.StatusOK {
				t.Errorf("status %d", got)
			}
		}
		if err := stop(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve: %v", err)
		}
	}
}

// COM-99: connected clients are counted by front and client, as long as they are connected.
func TestCOM99TheStatusSaysWhoIsConnected(t *testing.T) {
	c := serveClub(t)
	ci := c.as("ci", access.Ask)
	clients := func() []comm.Connected {
		var status comm.Status
		c.do(call{method: "GET", path: "/v1/status"}, &status)
		return status.Clients
	}
	if now := clients(); len(now) != 0 {
		t.Errorf("no client is connected, but the status lists %+v", now)
	}
	for _, id := range []string{"m1", "m2"} {
		eventsOf(t, c.start(ci(call{method: "POST", path: "/v1/requests?stream=1", body: `{"id":"` + id + `","text":"hello"}`}))).next()
	}
	eventsOf(t, c.start(call{method: "POST", path: "/v1/requests?stream=1", body: `{"id":"m3","text":"hello"}`})).next()
	want := []comm.Connected{{Front: "http", Client: "ci", Open: 2}, {Front: "http", Client: "local", Open: 1}}
	same(t, want, clients())
	if words := comm.ClientWords(want); words != "2 http ci, 1 http local" {
		t.Errorf("got %q; want %q", words, "2 http ci, 1 http local")
	}
	c.await(func(n fronttest.Seen) bool { return n.Watching == 3 })
	c.front.Cut()
	for began := time.Now(); len(clients()) > 0; {
		if time.Since(began) > hang {
			t.Fatalf("%+v are counted still", clients())
		}
	}
}

// COM-99: a front's routes are recognised by its paths, wherever they are.
func TestCOM99AFrontIsCountedOnAllOfItsPaths(t *testing.T) {
	var counters comm.Counters
	var seen []comm.Connected
	look := func(http.ResponseWriter, *http.Request) error {
		seen = append(seen, counters.Clients()...)
		return nil
	}
	words := func(path string) (func(*comm.Problem, int) any, bool) {
		return nil, strings.HasPrefix(path, "/v1/models")
	}
	h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{
		Token: token, RequestBytesMax: 1 << 10, Counters: &counters, Dialects: []comm.Dialect{{Front: "other", Word: words}},
		Routes: []comm.Route{{Method: "GET", Pattern: "/v1/models", Right: access.Ask, Handle: look}, {Method: "GET", Pattern: "/v1/ws", Right: access.Ask, Handle: look}},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	for _, path := range []string{"/v1/models", "/v1/ws"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
	}
	if want := []comm.Connected{{Front: "other", Client: "local", Open: 1}, {Front: "websocket", Client: "local", Open: 1}}; !slices.Equal(seen, want) {
		t.Errorf("got %+v; want %+v", seen, want)
	}
}
