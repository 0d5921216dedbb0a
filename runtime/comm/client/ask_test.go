package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

var (
	accepted = comm.Event{Type: comm.EventAccepted, ID: "m1"}
	queued   = comm.Event{Type: comm.EventState, State: state.Queued}
	hello    = client.AskRequest{ID: "m1", Text: "hello"}
)

func TestAskHandsOnWhatHappensAndReturnsTheReply(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(hello)
	d.await(watching)
	tool := comm.Event{Type: comm.EventTool, Tool: "list_dir", Args: "{}"}
	d.front.Say(d.key("m1"), tool)
	d.front.Reply(d.key("m1"), "Two files.\n", false)
	want := []comm.Event{accepted, queued, tool, {Type: comm.EventReply, Text: "Two files.\n"}}
	same(t, want, a.all())
	if a.err != nil || a.reply != (client.Reply{ID: "m1", Text: "Two files.\n"}) {
		t.Errorf("got %+v, %v; want %+v", a.reply, a.err, (client.Reply{ID: "m1", Text: "Two files.\n"}))
	}
}

func TestAFailedRequestIsAReplyAndNoError(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(client.AskRequest{Text: "hello", Session: "s", Channel: "cron"})
	d.await(watching)
	id := d.front.Seen().Accepted[0]
	d.front.Reply(fsm.RequestKey{Principal: comm.Principal, Channel: "cron", ID: id}, "error: no model", true)
	a.all()
	if a.err != nil || a.reply != (client.Reply{ID: id, Text: "error: no model", IsError: true}) {
		t.Errorf("got %+v, %v; want %+v", a.reply, a.err, (client.Reply{ID: id, Text: "error: no model", IsError: true}))
	}
}

func TestABrokenStreamIsAttachedToAgain(t *testing.T) {
	d := newDaemon(t)
	a := d.ask(hello)
	for range 3 {
		d.await(watching)
		d.front.Cut()
	}
	d.await(watching)
	d.front.Reply(d.key("m1"), "hi", false)
	want := []comm.Event{accepted, queued, queued, queued, queued, {Type: comm.EventReply, Text: "hi"}}
	same(t, want, a.all())
	if a.err != nil || a.reply.Text != "hi" {
		t.Errorf("got %+v, %v; want Text %q", a.reply, a.err, "hi")
	}
	if n := d.again.Load(); n != 3 {
		t.Errorf("told of %d tries, not 3", n)
	}
	ms := time.Millisecond
	same(t, []time.Duration{100 * ms, 200 * ms, 400 * ms}, d.paused())
	if got := d.front.Seen(); got.Asked != 1 || got.Begun != 4 { // nothing was heard that has a place (COM-90)
		t.Errorf("the request was sent %d times and heard from its beginning %d times", got.Asked, got.Begun)
	}
}

func TestAskFindsADaemonThatWasStartedAgain(t *testing.T) {
	d := newDaemon(t)
	d.onWait = func(n int) {
		switch n {
		case 2: // the first try meets nobody
			d.serve()
		case 3: // and nothing is in its way
			t.Error("a third pause")
		}
	}
	a := d.ask(hello)
	d.await(watching)
	d.front.Say(d.key("m1"), comm.Event{Type: comm.EventDeferred})
	d.stop()
	d.await(watching)
	d.front.Reply(d.key("m1"), "hi", false)
	events := a.all()
	if a.err != nil || a.reply.Text != "hi" {
		t.Errorf("got %+v, %v, %+v; want Text %q", a.reply, a.err, events, "hi")
	}
}

func TestAskGivesUpAfterSoManyTries(t *testing.T) {
	cases := []struct {
		name string
		say  comm.Event
		want error
	}{
		{"deferred", comm.Event{Type: comm.EventDeferred}, client.ErrDeferred},
		{"interrupted", comm.Event{Type: comm.EventChunk, Text: "x"}, client.ErrInterrupted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := newDaemon(t)
			a := d.ask(hello)
			d.await(watching)
			d.front.Say(d.key("m1"), c.say)
			d.stop()
			a.all()
			if !errors.Is(a.err, c.want) || !strings.Contains(a.err.Error(), "m1") || a.reply.ID != "m1" {
				t.Errorf("got %+v, %v; want %v, an error with %q, ID %q", a.reply, a.err, c.want, "m1", "m1")
			}
			if got := d.paused(); len(got) != client.TriesMax || got[len(got)-1] != 4*time.Second {
				t.Errorf("pauses %v", got)
			}
		})
	}
}

// A connection that breaks before its answer leaves open whether the request is
// accepted. The same id is sent again, and is done once.
func TestARequestOfUnknownFateIsSentAgain(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"the connection breaks": func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = c.Close()
			}
		},
		"the daemon stops": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error":{"code":"unknown_outcome","message":"m","hint":"h"}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDaemon(t)
			d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
				if _, err := d.front.Accept(r.Context(), comm.Request{Key: d.key("m1"), Text: "hello"}); err != nil {
					t.Error(err)
				}
				answer(w, r)
			})
			a := d.ask(hello)
			d.await(watching)
			d.front.Reply(d.key("m1"), "hi", false)
			a.all()
			if a.err != nil || a.reply.Text != "hi" {
				t.Errorf("got %+v, %v; want Text %q", a.reply, a.err, "hi")
			}
			if got := d.front.Seen(); got.Asked != 2 || len(got.Accepted) != 1 {
				t.Errorf("got %+v; want Asked 2, 1 Accepted", got)
			}
		})
	}
}

func TestAskReturnsRefusalsAtOnce(t *testing.T) {
	for _, want := range []error{engine.ErrBusy, engine.ErrStopping, engine.ErrNoSpace} {
		d := newDaemon(t)
		d.front.Refuse(want)
		a := d.ask(hello)
		a.all()
		refused := (*client.Error)(nil)
		if !errors.Is(a.err, want) || !errors.As(a.err, &refused) || refused.Hint == "" || len(d.paused()) != 0 {
			t.Errorf("%v: %v after %v", want, a.err, d.paused())
		}
	}
	d := newDaemon(t)
	first := d.ask(hello)
	d.await(watching)
	other := d.ask(client.AskRequest{ID: "m1", Text: "another"})
	if other.all(); !errors.Is(other.err, engine.ErrConflict) {
		t.Errorf("conflict: %v", other.err)
	}
	long := d.ask(client.AskRequest{Text: strings.Repeat("x", 5000)})
	if long.all(); !errors.Is(long.err, client.ErrTooLarge) {
		t.Errorf("too large: %v", long.err)
	}
	empty := d.ask(client.AskRequest{})
	if empty.all(); empty.err == nil || !strings.Contains(empty.err.Error(), `"text"`) {
		t.Errorf("empty: %v", empty.err)
	}
	d.front.Reply(d.key("m1"), "hi", false)
	first.all()
}

func TestWithoutADaemonTheErrorSaysHowToStartIt(t *testing.T) {
	ctx := context.Background()
	gone := newDaemon(t)
	gone.stop() // as a killed one, it leaves its endpoint file
	for name, dir := range map[string]string{"never started": t.TempDir(), "killed": gone.dir} {
		c := client.New(dir, client.Options{})
		_, asking := c.Ask(ctx, hello, nil)
		_, status := c.Status(ctx)
		_, get := c.Get(ctx, "m1", "")
		for _, err := range []error{asking, status, get} {
			if !errors.Is(err, client.ErrNotRunning) || !strings.Contains(err.Error(), "start it with: shelly run") {
				t.Errorf("%s: got %v; want %v, an error with %q", name, err, client.ErrNotRunning, "start it with: shelly run")
			}
		}
	}
}

func TestAnotherTokenIsUnauthorised(t *testing.T) {
	d := newDaemon(t)
	path := filepath.Join(d.dir, client.TokenFile)
	must(t, os.WriteFile(path, []byte(strings.Repeat("x", comm.TokenBytesMin)), 0o600))
	if _, err := d.client.Status(context.Background()); !errors.Is(err, client.ErrUnauthorized) {
		t.Errorf("a wrong one: %v", err)
	}
	must(t, os.Remove(path))
	if _, err := d.client.Status(context.Background()); !errors.Is(err, client.ErrUnauthorized) {
		t.Errorf("none: %v", err)
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if _, err := d.client.Status(context.Background()); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("an empty file: %v", err)
	}
	if os.Getuid() == 0 {
		return // nothing is closed to it
	}
	must(t, os.Chmod(path, 0))
	if _, err := d.client.Status(context.Background()); !errors.Is(err, client.ErrNoAccess) {
		t.Errorf("a closed file: %v", err)
	}
}

func TestStatusAndRecordsCanBeRead(t *testing.T) {
	ctx := context.Background()
	d := newDaemon(t)
	if s, err := d.client.Status(ctx); err != nil || s.Lifecycle != state.Serving || s.Version != "test" {
		t.Errorf("got %+v, %v; want Lifecycle %q, Version %q", s, err, state.Serving, "test")
	}
	id := "../a b/ü?"
	a := d.ask(client.AskRequest{ID: id, Text: "hello", Channel: "cron"})
	d.await(watching)
	if r, err := d.client.Get(ctx, id, "cron"); err != nil || r.ID != id || r.State != comm.RecordAccepted {
		t.Errorf("got %+v, %v; want ID %q, State %q", r, err, id, comm.RecordAccepted)
	}
	if _, err := d.front.Accept(ctx, comm.Request{Key: d.key(".."), Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	if r, err := d.client.Get(ctx, "..", ""); err != nil || r.ID != ".." {
		t.Errorf("got %+v, %v; want ID %q", r, err, "..")
	}
	if _, err := d.client.Get(ctx, id, ""); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("in another channel: %v", err)
	}
	d.front.Cut() // and attach again, in the channel
	d.await(watching)
	d.front.Reply(fsm.RequestKey{Principal: comm.Principal, Channel: "cron", ID: id}, "hi", false)
	if a.all(); a.err != nil || a.reply.Text != "hi" {
		t.Errorf("got %+v, %v; want Text %q", a.reply, a.err, "hi")
	}
}

func TestAnotherProgramOnThePortIsRecognized(t *testing.T) {
	d := newDaemon(t)
	d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	})
	if _, err := d.client.Status(context.Background()); err == nil || !strings.Contains(err.Error(), "not shelly") {
		t.Errorf("got %v; want an error with %q", err, "not shelly")
	}
}

func TestASilentStreamCountsAsBroken(t *testing.T) {
	d := newDaemon(t)
	var calls atomic.Int32
	d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if calls.Add(1) > 1 {
			_, _ = w.Write([]byte("event: reply\ndata: {\"type\":\"reply\",\"text\":\"hi\"}\n\n"))
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // without this the server does not see the client go
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // and no heartbeat
	})
	d.onWait = nil
	d.client = client.New(d.dir, client.Options{Pause: d.pause, SilenceMax: 20 * time.Millisecond})
	a := d.ask(hello)
	if a.all(); a.err != nil || a.reply.Text != "hi" || calls.Load() < 2 {
		t.Errorf("%+v, %v after %d calls", a.reply, a.err, calls.Load())
	}
}
