package comm_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

var streamed = call{method: "POST", path: "/v1/requests?stream=1", body: good}

func TestCOM4AStreamTellsWhatHappensInOrderUpToTheReply(t *testing.T) {
	story := []comm.Event{
		{Type: comm.EventQueued, Ahead: 1},
		{Type: comm.EventState, State: state.Cognition, Inference: state.Thinking},
		{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 3, Key: "h3.1", Tool: "exec", Args: `{"command": "ls"}`},
		{Type: comm.EventHeld},
		{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Thinking: "a folder…"},
		{Type: comm.EventTool, Tool: "list_dir", Args: `{"path": "."}`},
		{Type: comm.EventToolResult, Tool: "list_dir", Text: "a\nb"},
		{Type: comm.EventChunk, Purpose: fsm.PurposeAnswer, Text: "Two "},
		{Type: comm.EventState, State: state.Summarizing, Inference: state.Thinking},
	}
	for name, c := range map[string]call{
		"by the query":  streamed,
		"by the header": with(post(good), "Accept", "application/json;q=0.1, text/event-stream"),
	} {
		t.Run(name, func(t *testing.T) {
			s := serveHTTP(t, nil)
			e := eventsOf(t, s.start(c))
			e.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
			e.want(comm.Event{Type: comm.EventState, State: state.Queued})
			s.front.Say(httpKey("m1"), story...)
			for _, want := range story {
				e.want(want)
			}
			s.front.Reply(httpKey("m1"), "Two files.", false)
			e.want(comm.Event{Type: comm.EventReply, Text: "Two files."})
			e.wantEnd()
			s.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
		})
	}
}

func TestAStreamCanBeAttachedToAgain(t *testing.T) {
	s := serveHTTP(t, nil)
	attach := call{method: "GET", path: "/v1/requests/m1/events"}
	first := eventsOf(t, s.start(streamed))
	first.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	first.want(comm.Event{Type: comm.EventState, State: state.Queued})
	s.front.Cut()
	first.wantEnd()

	again := eventsOf(t, s.start(attach))
	again.want(comm.Event{Type: comm.EventState, State: state.Queued})
	s.front.Reply(httpKey("m1"), "error: no", true)
	again.want(comm.Event{Type: comm.EventReply, Text: "error: no", IsError: true})
	again.wantEnd()

	done := eventsOf(t, s.start(attach))
	done.want(comm.Event{Type: comm.EventReply, Text: "error: no", IsError: true})
	done.wantEnd()

	posted := eventsOf(t, s.start(streamed))
	posted.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	posted.want(comm.Event{Type: comm.EventReply, Text: "error: no", IsError: true})
	posted.wantEnd()
	if n := len(s.front.Seen().Accepted); n != 1 {
		t.Errorf("accepted %d times", n)
	}
}

func TestCOM9TheLastWordsOfAStoppingDaemonAreHeard(t *testing.T) {
	for range 8 { // what is said and the end meet by chance
		s := serveHTTP(t, nil)
		e := eventsOf(t, s.start(streamed))
		s.await(watching)
		s.front.Say(httpKey("m1"), comm.Event{Type: comm.EventDeferred})
		s.front.Reply(httpKey("m1"), "hi", false)
		must(t, s.stop())
		e.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
		e.want(comm.Event{Type: comm.EventState, State: state.Queued})
		e.want(comm.Event{Type: comm.EventDeferred})
		e.want(comm.Event{Type: comm.EventReply, Text: "hi"})
		e.wantEnd()
	}
}

func TestNoTextForgesAnEvent(t *testing.T) {
	s := serveHTTP(t, nil)
	e := eventsOf(t, s.start(streamed))
	s.await(watching)
	text := "a\n\nevent: admin\ndata: x\r\rid: 1\r\n\x00\u2028"
	s.front.Reply(httpKey("m1"), text, false)
	e.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	e.want(comm.Event{Type: comm.EventState, State: state.Queued})
	e.want(comm.Event{Type: comm.EventReply, Text: text})
	e.wantEnd()
}

func TestAnIdleStreamIsKeptAlive(t *testing.T) {
	ticks := make(chan time.Time)
	stopped := make(chan struct{})
	s := serveHTTP(t, func(o *comm.HTTPOptions) {
		o.Heartbeat = func() (<-chan time.Time, func()) { return ticks, func() { close(stopped) } }
	})
	e := eventsOf(t, s.start(streamed))
	e.block() // the opening comment
	e.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	e.want(comm.Event{Type: comm.EventState, State: state.Queued})
	for range 2 {
		ticks <- time.Time{}
		if got := e.block(); len(got) != 1 || !strings.HasPrefix(got[0], ":") {
			t.Errorf("the heartbeat is %q", got)
		}
	}
	s.front.Reply(httpKey("m1"), "hi", false)
	e.want(comm.Event{Type: comm.EventReply, Text: "hi"})
	e.wantEnd()
	<-stopped
}

func TestAClientThatGoesEndsItsWatch(t *testing.T) {
	s := serveHTTP(t, nil)
	r := s.start(streamed)
	s.await(watching)
	_ = r.Body.Close()
	s.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
}

// COM-109: the time to write an answer begins when it has been made.
func TestCOM109AnAnswerThatTookLongIsSent(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.WriteTimeout = time.Nanosecond }) // over before any answer is made
	var status comm.Status
	if r := s.do(call{method: http.MethodGet, path: "/v1/status"}, &status); r.StatusCode != http.StatusOK {
		t.Errorf("status %d", r.StatusCode)
	}
}

// timed notes what is done with an answer, in order.
type timed struct {
	*httptest.ResponseRecorder
	did []string
}

// SetWriteDeadline is for [http.ResponseController].
func (w *timed) SetWriteDeadline(time.Time) error {
	w.did = append(w.did, "deadline")
	return nil
}

func (w *timed) Write(b []byte) (int, error) {
	w.did = append(w.did, "write")
	return w.ResponseRecorder.Write(b)
}

// COM-109: the end of a stream is a piece of it, too. Its last event may have been written long before.
func TestCOM109AStreamThatWasIdleEndsWhole(t *testing.T) {
	for _, c := range []call{streamed, {method: http.MethodGet, path: "/v1/messages/events"}} {
		synctest.Test(t, func(t *testing.T) {
			h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.WithValue(t.Context(), http.LocalAddrContextKey, &net.UnixAddr{Name: "shelly", Net: "unix"}))
			r := httptest.NewRequestWithContext(ctx, c.method, "http://127.0.0.1"+c.path, strings.NewReader(c.body))
			r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}}
			w := &timed{ResponseRecorder: httptest.NewRecorder()}
			go h.ServeHTTP(w, r)
			synctest.Wait()
			cancel()
			synctest.Wait()
			if n := len(w.did); n < 3 || w.did[n-1] != "deadline" {
				t.Errorf("%s: %d %v %s; want a new deadline after the last write", c.path, w.Code, w.did, w.Body)
			}
		})
	}
}

func TestAClientThatNeverReadsIsDropped(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.WriteTimeout = 50 * time.Millisecond })
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, "POST /v1/requests?stream=1 HTTP/1.1\r\nHost: "+s.address+"\r\nAuthorization: Bearer "+token+
		"\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n"+good)
	if err != nil {
		t.Fatal(err)
	}
	s.await(watching)
	big := comm.Event{Type: comm.EventChunk, Text: strings.Repeat("x", 1<<20)}
	for range 64 { // more than the system buffers
		s.front.Say(httpKey("m1"), big)
	}
	s.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
}

func TestOpenStreamsAreBoundedAndBusyStartsNothing(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.StreamsMax, o.StreamWait = 1, time.Nanosecond })
	first := s.start(streamed)
	s.await(watching)
	other := `{"id":"m2","text":"hello"}`
	for _, c := range []call{
		{method: "POST", path: "/v1/requests?stream=1", body: other},
		{method: "POST", path: "/v1/requests?wait=1", body: other},
		{method: "GET", path: "/v1/requests/m1/events"},
	} {
		var body comm.ProblemBody
		if r := s.do(c, &body); r.StatusCode != 429 || body.Error.Code != comm.CodeBusy || r.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: got %d %v %+v; want 429, Retry-After 1, code %q", c.path, r.StatusCode, r.Header, body.Error, comm.CodeBusy)
		}
	}
	if n := len(s.front.Seen().Accepted); n != 1 {
		t.Errorf("%d requests accepted", n)
	}
	var receipt comm.Receipt
	if r := s.do(post(other), &receipt); r.StatusCode != 202 {
		t.Errorf("a request that needs no stream: %d", r.StatusCode)
	}
	s.front.Reply(httpKey("m1"), "hi", false)
	_, _ = io.Copy(io.Discard, first.Body)
	for _, c := range []call{streamed, {method: "POST", path: "/v1/requests?wait=1", body: good}, {method: "GET", path: "/v1/requests/m1/events"}, streamed} {
		r := s.start(c) // the end of one frees its place
		if _, _ = io.Copy(io.Discard, r.Body); r.StatusCode != 200 {
			t.Errorf("%s: got %d; want 200", c.path, r.StatusCode)
		}
	}
}

// If only few streams may be open, a further one waits for its place instead of being refused.
func TestAStreamWaitsForItsPlace(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.StreamsMax, o.StreamWait = 1, time.Hour })
	first := eventsOf(t, s.start(streamed))
	first.want(comm.Event{Type: comm.EventAccepted, ID: "m1"})
	s.await(watching)
	second := make(chan int, 1)
	go func() {
		var reply comm.Record
		second <- s.do(call{method: "POST", path: "/v1/requests?wait=1", body: `{"id":"m1","text":"hello"}`}, &reply).StatusCode
	}()
	s.front.Reply(httpKey("m1"), "hi", false)
	if got := <-second; got != 200 {
		t.Errorf("status %d", got)
	}
}

func TestCOM29TheSecondsUntilTheNextTryCountDown(t *testing.T) {
	const text = "it said: trying again in vain; trying again in 36 s, or as soon as it answers"
	for _, tt := range []struct {
		text    string
		at, now fsm.Millis
		want    string
	}{
		{text, 50_000, 14_000, text},
		{text, 50_000, 14_001, text},
		{text, 50_000, 47_500, "it said: trying again in vain; trying again in 3 s, or as soon as it answers"},
		{text, 50_000, 50_000, "it said: trying again in vain; trying again now, or as soon as it answers"},
		{text, 3_600_000, 14_000, text}, // the clock was set back
		{text, 0, 47_500, text},
		{"busy; trying again in 2 s", 2_000, 1_000, "busy; trying again in 1 s"},
		{"busy; trying again in 120 s, or sooner", 500_000, 380_001, "busy; trying again in 120 s, or sooner"},
		{"busy; trying again in 900 s, or sooner", 500_000, 379_999, "busy; trying again in 3 min, or sooner"},
		{"busy; trying again in 14400 s", 14_400_000, 1, "busy; trying again in 4 h"},
		{"loading the model", 50_000, 0, "loading the model"},
	} {
		if got := comm.Waits(tt.text, tt.at, tt.now); got != tt.want {
			t.Errorf("%q at %d of %d: got %q, want %q", tt.text, tt.now, tt.at, got, tt.want)
		}
	}
}
