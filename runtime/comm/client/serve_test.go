package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

// hang bounds what must happen anyway; no test passes by waiting for it.
const hang = 30 * time.Second

func TestMain(m *testing.M) {
	code := m.Run()
	if stacks := leaked(); code == 0 && stacks != "" {
		fmt.Fprintln(os.Stderr, "goroutines are left:\n"+stacks)
		code = 1
	}
	os.Exit(code)
}

// leaked returns the stacks of goroutines of the client and the listeners, after
// those that are just ending have had time to.
func leaked() (stacks string) {
	buffer := make([]byte, 1<<20)
	for begin := time.Now(); time.Since(begin) < hang; runtime.Gosched() {
		stacks = ""
		for _, one := range strings.Split(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
			if strings.Contains(one, "runtime/comm") && !strings.Contains(one, "TestMain") || strings.Contains(one, "net/http.") {
				stacks += one + "\n\n"
			}
		}
		if stacks == "" {
			break
		}
	}
	return stacks
}

// daemon is a data folder with a served front and a client of it.
type daemon struct {
	t      *testing.T
	dir    string
	front  *fronttest.Front
	client *client.Client

	mu     sync.Mutex
	pauses []time.Duration
	again  atomic.Int32 // tries that the client reported
	onWait func(n int)  // called at the n-th pause, from 1
	stop   func()
}

func newDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{t: t, dir: t.TempDir(), front: fronttest.New(), stop: func() {}}
	d.client = client.New(d.dir, client.Options{Pause: d.pause, Again: func() { d.again.Add(1) }})
	t.Cleanup(func() { d.stop() })
	d.serve()
	return d
}

// pause takes no time and remembers how long it should have been.
func (d *daemon) pause(_ context.Context, p time.Duration) error {
	d.mu.Lock()
	d.pauses = append(d.pauses, p)
	n, hook := len(d.pauses), d.onWait
	d.mu.Unlock()
	if hook != nil {
		hook(n)
	}
	return nil
}

func (d *daemon) paused() []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pauses
}

// serve starts the listener on a new port and writes down where.
func (d *daemon) serve() {
	d.t.Helper()
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	d.at(l, client.Endpoint{HTTP: l.Addr().String(), PID: os.Getpid()})
}

// nobody is where nothing listens. A port that a listener has left may be another test's next.
const nobody = "127.0.0.1:1"

// at serves on l, and writes down where that is; once it stopped, nobody is there.
func (d *daemon) at(l net.Listener, where client.Endpoint) {
	d.t.Helper()
	token, err := client.EnsureToken(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	h, err := comm.NewHTTP(d.front, comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
	if err != nil {
		d.t.Fatal(err)
	}
	must(d.t, client.WriteEndpoint(d.dir, where))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	d.stop = sync.OnceFunc(func() {
		must(d.t, client.WriteEndpoint(d.dir, client.Endpoint{HTTP: nobody, PID: where.PID}))
		cancel()
		if err := <-ended; err != nil {
			d.t.Errorf("Serve: %v", err)
		}
	})
}

// insteadOf puts another server in the daemon's place until the first pause, which knows
// the token.
func (d *daemon) insteadOf(handle http.HandlerFunc) {
	d.t.Helper()
	token, err := client.ReadToken(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != comm.ProofRoute {
			handle(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(comm.ProofBody{Proof: comm.Proof(token, r.Host, r.FormValue("challenge"))})
	}))
	d.t.Cleanup(other.Close)
	right, err := client.ReadEndpoint(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	must(d.t, client.WriteEndpoint(d.dir, client.Endpoint{HTTP: other.Listener.Addr().String()}))
	d.onWait = func(int) {
		if err := client.WriteEndpoint(d.dir, right); err != nil {
			d.t.Error(err)
		}
	}
}

func (d *daemon) key(id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: comm.Principal, Channel: comm.ChannelHTTP, ID: id}
}

// asked is an Ask under way.
type asked struct {
	events chan comm.Event
	done   chan struct{}
	reply  client.Reply
	err    error
}

func (d *daemon) ask(r client.AskRequest) *asked {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	a := &asked{events: make(chan comm.Event, 256), done: make(chan struct{})}
	d.t.Cleanup(func() { cancel(); <-a.done })
	go func() {
		defer close(a.done)
		defer close(a.events)
		a.reply, a.err = d.client.Ask(ctx, r, func(e comm.Event) { a.events <- e })
	}()
	return a
}

// all waits for the end and returns what was heard.
func (a *asked) all() (events []comm.Event) {
	for e := range a.events {
		events = append(events, e)
	}
	<-a.done
	return events
}

// await waits until the front has been asked for what is wanted.
func (d *daemon) await(wanted func(fronttest.Seen) bool) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	if err := d.front.Await(ctx, wanted); err != nil {
		d.t.Errorf("%v; seen %+v", err, d.front.Seen())
	}
}

func watching(n fronttest.Seen) bool { return n.Watching == 1 }

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
