package comm_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
	"shelly/runtime/comm/position"
)

const token = "0123456789abcdef0123456789abcdef"

// hang bounds what must happen anyway; no test passes by waiting for it.
const hang = 30 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	if stacks := leaked(); code == 0 && stacks != "" {
		fmt.Fprintln(os.Stderr, "goroutines of the listeners are left:\n"+stacks)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of goroutines that run code of the listeners, after
// those that are just ending have had time to.
func leaked() (stacks string) {
	buffer := make([]byte, 1<<20)
	for begin := time.Now(); time.Since(begin) < hang; runtime.Gosched() {
		stacks = ""
		for _, one := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
			if strings.Contains(one, "runtime/comm.") || strings.Contains(one, "net/http.(*conn)") {
				stacks += one + "\n\n"
			}
		}
		if stacks == "" {
			break
		}
	}
	return stacks
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	t.Cleanup(cancel)
	return ctx
}

// site is a served HTTP listener.
type site struct {
	t        *testing.T
	front    *fronttest.Front
	address  string
	client   *http.Client
	counters *comm.Counters
	stop     func() error // ends it and returns what Serve returned
	listener net.Listener
}

func serveHTTP(t *testing.T, change func(*comm.HTTPOptions)) *site {
	t.Helper()
	s := &site{t: t, front: fronttest.New(), counters: &comm.Counters{}}
	o := comm.HTTPOptions{Token: token, RequestBytesMax: 4096, Counters: s.counters}
	if change != nil {
		change(&o)
	}
	h, err := comm.NewHTTP(s.front, o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.listener, s.address = l, l.Addr().String()
	transport := &http.Transport{DisableKeepAlives: true}
	s.client = &http.Client{Transport: transport, Timeout: hang}
	s.stop = serving(t, func(ctx context.Context) error { return h.Serve(ctx, l) })
	return s
}

// serving runs serve until the test or the returned function ends it.
func serving(t *testing.T, serve func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx) }()
	stopped := false
	stop = func() error {
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() {
		if !stopped {
			if err := stop(); err != nil {
				t.Errorf("Serve: %v", err)
			}
		}
		cancel()
	})
	return stop
}

// call is one HTTP request.
type call struct {
	method, path, body string
	header             http.Header // added to those of a good request; an empty value removes one
	host               string
}

func (s *site) start(c call) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(testContext(s.t), c.method, "http://"+s.address+c.path, strings.NewReader(c.body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if c.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
		if values[0] == "" {
			delete(r.Header, name)
		}
	}
	if c.host != "" {
		r.Host = c.host
	}
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// do makes a call and decodes the JSON answer.
func (s *site) do(c call, to any) *http.Response {
	s.t.Helper()
	response := s.start(c)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(body, to); err != nil {
		s.t.Fatalf("%s %s: status %d, body %q: %v", c.method, c.path, response.StatusCode, body, err)
	}
	return response
}

func (s *site) await(wanted func(fronttest.Seen) bool) {
	s.t.Helper()
	if err := s.front.Await(testContext(s.t), wanted); err != nil {
		s.t.Fatalf("%v; seen %+v", err, s.front.Seen())
	}
}

// when does something in a goroutine of its own once what has been asked for is as
// wanted.
func (s *site) when(wanted func(fronttest.Seen) bool, do func()) {
	ctx, done := testContext(s.t), make(chan struct{})
	s.t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		if err := s.front.Await(ctx, wanted); err != nil {
			s.t.Errorf("%v; seen %+v", err, s.front.Seen())
			return
		}
		do()
	}()
}

func watching(n fronttest.Seen) bool { return n.Watching == 1 }

// raw sends bytes as they are and returns all that comes back.
func (s *site) raw(text string) string {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Error(err)
		return ""
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(hang))
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Error(err)
		return ""
	}
	all, _ := io.ReadAll(c) // an error is the end, too
	return string(all)
}

func httpKey(id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: comm.Principal, Channel: comm.ChannelHTTP, ID: id}
}

// events reads an SSE stream, one event at a time.
type events struct {
	t     *testing.T
	lines *bufio.Scanner
}

func eventsOf(t *testing.T, r *http.Response) *events {
	t.Helper()
	if got := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("status %d, type %q; want a stream", r.StatusCode, got)
	}
	return &events{t, bufio.NewScanner(r.Body)}
}

// block returns the lines up to the next blank one, or nil at the end.
func (e *events) block() (lines []string) {
	e.t.Helper()
	for e.lines.Scan() {
		if e.lines.Text() == "" {
			return lines
		}
		lines = append(lines, e.lines.Text())
	}
	return nil
}

// last reads up to the end, and returns the last event's lines.
func (e *events) last() (lines []string) {
	e.t.Helper()
	for block := e.block(); block != nil; block = e.block() {
		if !strings.HasPrefix(block[0], ":") {
			lines = block
		}
	}
	return lines
}

// next returns the next event and checks that its name is its type; false at the
// end.
func (e *events) next() (event comm.Event, ok bool) {
	e.t.Helper()
	for {
		lines := e.block()
		if lines == nil {
			return event, false
		}
		if strings.HasPrefix(lines[0], ":") {
			continue
		}
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "id: ") || !strings.HasPrefix(lines[2], "data: ") {
			e.t.Fatalf("an event of the lines %q", lines)
		}
		at, err := position.Parse(lines[0][len("id: "):])
		if err != nil {
			e.t.Fatal(err)
		}
		event.At, lines = at, lines[1:]
		must(e.t, json.Unmarshal([]byte(lines[1][len("data: "):]), &event))
		if lines[0] != "event: "+string(event.Type) {
			e.t.Fatalf("%q names an event of type %q", lines[0], event.Type)
		}
		return event, true
	}
}

// want reads the next event and compares it.
func (e *events) want(want comm.Event) {
	e.t.Helper()
	got, ok := e.next()
	got.At = want.At
	if !ok || !reflect.DeepEqual(got, want) {
		e.t.Fatalf("event %+v (%t), want %+v", got, ok, want)
	}
}

func (e *events) wantEnd() {
	e.t.Helper()
	if got, ok := e.next(); ok {
		e.t.Fatalf("event %+v after the end", got)
	}
}

func same(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
