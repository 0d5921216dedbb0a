package comm_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
)

func TestCOM8ARequestIsAcceptedAndItsRecordCanBeRead(t *testing.T) {
	s := serveHTTP(t, nil)
	var receipt comm.Receipt
	r := s.do(post(`{"id":"m1","session":"s","text":"hello"}`), &receipt)
	if r.StatusCode != http.StatusAccepted || receipt != (comm.Receipt{ID: "m1", State: "accepted"}) {
		t.Fatalf("got %d %+v; want 202, %+v", r.StatusCode, receipt, (comm.Receipt{ID: "m1", State: "accepted"}))
	}
	want := comm.Record{ID: "m1", Channel: "http", Session: "s", InSession: "s", Handle: 1, State: "accepted", Text: "hello", Accepted: 1}
	get := call{method: "GET", path: "/v1/requests/m1"}
	var record comm.Record
	if r := s.do(get, &record); r.StatusCode != http.StatusOK || !cmp.Equal(record, want) {
		t.Errorf("before the reply: %d, %s", r.StatusCode, cmp.Diff(want, record))
	}
	s.front.Reply(httpKey("m1"), "error: it broke", true)
	want.State, want.Done, want.Replied, want.Reply, want.IsError = "failed", true, 2, "error: it broke", true
	if r := s.do(get, &record); r.StatusCode != http.StatusOK || !cmp.Equal(record, want) {
		t.Errorf("after the reply: %d, %s", r.StatusCode, cmp.Diff(want, record))
	}
}

func TestCOM5ARequestWithoutAnIDGetsOneOfItsOwn(t *testing.T) {
	s := serveHTTP(t, nil)
	var a, b comm.Receipt
	s.do(post(`{"text":"hello"}`), &a)
	s.do(post(`{"text":"hello"}`), &b)
	if len(a.ID) < 20 || a.ID == b.ID {
		t.Errorf("the ids are %q and %q", a.ID, b.ID)
	}
}

func TestTheSameIDIsDoneOnce(t *testing.T) {
	s := serveHTTP(t, nil)
	for range 2 {
		var receipt comm.Receipt
		if r := s.do(post(good), &receipt); r.StatusCode != http.StatusAccepted {
			t.Fatalf("status %d", r.StatusCode)
		}
	}
	s.front.Reply(httpKey("m1"), "hi", false)
	var record comm.Record
	if r := s.do(post(good), &record); r.StatusCode != http.StatusOK || record.Reply != "hi" || record.State != "done" {
		t.Errorf("got %d %+v; want 200, Reply %q, State %q", r.StatusCode, record, "hi", "done")
	}
	var body comm.ProblemBody
	if r := s.do(post(`{"id":"m1","text":"another"}`), &body); r.StatusCode != http.StatusConflict {
		t.Errorf("status %d, %+v", r.StatusCode, body)
	}
	if got := s.front.Seen().Accepted; len(got) != 1 {
		t.Errorf("accepted %q", got)
	}
	want := comm.Counts{Accepted: 1, Duplicates: 2, Refused: 1}
	if got := s.counters.Counts(); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestCOM5AnIDIsOpaqueText(t *testing.T) {
	s := serveHTTP(t, nil)
	for _, id := range []string{"../../etc/x", "..", ".", "a/events", "%2e", "ü 狐?#&", "{id}", "//"} {
		body, err := json.Marshal(map[string]string{"id": id, "text": "a"})
		if err != nil {
			t.Fatal(err)
		}
		var receipt comm.Receipt
		if r := s.do(post(string(body)), &receipt); r.StatusCode != http.StatusAccepted {
			t.Fatalf("%q: status %d", id, r.StatusCode)
		}
		var record comm.Record
		path := "/v1/requests/" + strings.ReplaceAll(url.PathEscape(id), ".", "%2E")
		if r := s.do(call{method: "GET", path: path}, &record); r.StatusCode != http.StatusOK || record.ID != id {
			t.Errorf("%q: status %d, %+v", id, r.StatusCode, record)
		}
	}
}

// Halves of surrogate pairs are all read as the same character, so two ids would be one.
func TestCOM5WhatIsNotACharacterIsInNoName(t *testing.T) {
	s := serveHTTP(t, nil)
	for _, body := range []string{
		`{"id":"\ud800","text":"a"}`, `{"id":"a\udc01b","text":"a"}`, `{"id":"\ufffd","text":"a"}`,
		`{"session":"\ud801","text":"a"}`, `{"chat":"\ud801","text":"a"}`,
	} {
		var problem comm.ProblemBody
		if r := s.do(post(body), &problem); r.StatusCode != http.StatusBadRequest || !strings.Contains(problem.Error.Message, "U+FFFD") {
			t.Errorf("%s: status %d, %+v", body, r.StatusCode, problem)
		}
	}
	var receipt comm.Receipt
	if r := s.do(post(`{"id":"\ud83d\ude00","text":"half: \ud83d"}`), &receipt); r.StatusCode != http.StatusAccepted || receipt.ID != "😀" {
		t.Errorf("status %d, %+v", r.StatusCode, receipt)
	}
}

func TestCOM5IDsOfTwoChannelsNeverMeet(t *testing.T) {
	s := serveHTTP(t, nil)
	var receipt comm.Receipt
	s.do(post(good), &receipt)
	if r := s.do(post(`{"id":"m1","channel":"cron","text":"another"}`), &receipt); r.StatusCode != http.StatusAccepted {
		t.Fatalf("status %d", r.StatusCode)
	}
	var record comm.Record
	s.do(call{method: "GET", path: "/v1/requests/m1?channel=cron"}, &record)
	if record.Text != "another" || record.Channel != "cron" {
		t.Errorf("got %+v; want Text %q, Channel %q", record, "another", "cron")
	}
}

func TestWaitAnswersWithTheRecordOfTheFinishedRequest(t *testing.T) {
	s := serveHTTP(t, nil)
	s.when(watching, func() {
		s.front.Reply(httpKey("m1"), "hi", false)
	})
	wait := call{method: "POST", path: "/v1/requests?wait=1", body: good}
	for range 2 { // the second is answered from the record
		var record comm.Record
		if r := s.do(wait, &record); r.StatusCode != http.StatusOK || !record.Done || record.Reply != "hi" || record.Replied != 2 {
			t.Errorf("got %d %+v; want 200, Done, Reply %q, Replied 2", r.StatusCode, record, "hi")
		}
	}
}

func TestCOM9WaitSaysThatAStoppingDaemonKeepsTheRequest(t *testing.T) {
	s := serveHTTP(t, nil)
	s.when(watching, func() {
		s.front.Say(httpKey("m1"), comm.Event{Type: comm.EventDeferred})
		s.front.Cut()
	})
	var body comm.ProblemBody
	r := s.do(call{method: "POST", path: "/v1/requests?wait=1", body: good}, &body)
	if r.StatusCode != http.StatusServiceUnavailable || body.Error.Code != comm.CodeStopping || !strings.Contains(body.Error.Hint, "is kept") {
		t.Errorf("got %d %+v; want 503, Code %q, Hint with %q", r.StatusCode, body.Error, comm.CodeStopping, "is kept")
	}
}

// The deadlines of the server bound reading and writing, not how long shelly
// thinks.
func TestAWaitOutlivesTheReadDeadline(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ReadTimeout = 50 * time.Millisecond })
	s.when(watching, func() {
		for range 2 { // a connection that is cut off later began later
			s.raw("POST /v1/requests HTTP/1.1\r\nHost: ")
		}
		s.front.Reply(httpKey("m1"), "hi", false)
	})
	var record comm.Record
	if r := s.do(call{method: "POST", path: "/v1/requests?wait=1", body: good}, &record); r.StatusCode != http.StatusOK {
		t.Errorf("got %d %+v; want 200", r.StatusCode, record)
	}
}

func TestCOM10AnEventIsRaised(t *testing.T) {
	s := serveHTTP(t, nil)
	var got map[string]string
	r := s.do(call{method: "POST", path: "/v1/events", body: `{"source":"disk","event":"full","subject":"/var","detail":"97 %"}`}, &got)
	if r.StatusCode != http.StatusAccepted || got["state"] != "accepted" {
		t.Errorf("got %d %v; want 202, [\"state\"] %q", r.StatusCode, got, "accepted")
	}
	want := []fsm.EventRaised{{Source: "disk", Event: "full", Subject: "/var", Detail: "97 %"}}
	same(t, want, s.front.Seen().Raised)
}

func TestTheStatusHasTheCountsOfTheListeners(t *testing.T) {
	s := serveHTTP(t, nil)
	s.start(with(post(good), "Authorization", ""))
	var got comm.Status
	r := s.do(call{method: "GET", path: "/v1/status"}, &got)
	want := comm.Status{
		Version: "test", Lifecycle: state.Serving, Epoch: 1, Active: []comm.Active{}, Listeners: comm.Counts{BadTokens: 1},
	}
	same(t, want, got)
	if got := r.Header; got.Get("Cache-Control") != "no-store" || got.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", got)
	}
}

// Whichever route takes a request or cannot read one, it is counted (OBS-2).
func TestOBS2TheListenerCountsTheRequestsOfAllRoutes(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) {
		front := fronttest.New()
		handle := func(w http.ResponseWriter, r *http.Request) error {
			if r.ContentLength == 0 {
				return comm.JSON(w, http.StatusBadRequest, "in words of its own")
			}
			a, err := comm.Owned(front).Accept(r.Context(), comm.Request{Key: httpKey("m1"), Text: "hello"})
			if err != nil {
				return err
			}
			return comm.JSON(w, http.StatusOK, a.Request.Text)
		}
		o.Routes = []comm.Route{{Method: http.MethodPost, Pattern: "/other", Right: access.Ask, Handle: handle}}
	})
	for range 2 {
		s.start(call{method: "POST", path: "/other", body: "{}"})
	}
	want := comm.Counts{Accepted: 1, Duplicates: 1}
	for _, c := range []call{
		{method: "POST", path: "/other"},
		{method: "GET", path: "/v1/requests?limit=many"},
		{method: "GET", path: "/v1/requests?colour=red"},
		post(`{"id":`),
		with(post(good), "Content-Type", "text/plain"),
		{method: "POST", path: "/v1/requests/m1/cancel?channel=a%20b"},
		{method: "POST", path: "/v1/requests/absent/cancel"}, // it is well formed
	} {
		if r := s.start(c); r.StatusCode != http.StatusNotFound {
			want.Malformed++
		}
	}
	if got := s.counters.Counts(); got != want || want.Malformed != 6 {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestOBS2MetricsAreReadWithTheTokenAlone(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) {
		o.Metrics = func(w http.ResponseWriter, _ *http.Request, now comm.Status) {
			_, _ = io.WriteString(w, "lifecycle "+string(now.Lifecycle))
		}
	})
	metrics := call{method: "GET", path: "/metrics"}
	if r := s.start(with(metrics, "Authorization", "")); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("got status %d; want %d", r.StatusCode, http.StatusUnauthorized)
	}
	r := s.start(metrics)
	body, err := io.ReadAll(r.Body)
	if r.StatusCode != http.StatusOK || string(body) != "lifecycle serving" || err != nil {
		t.Errorf("got status %d, %q, %v; want %d, %q", r.StatusCode, body, err, http.StatusOK, "lifecycle serving")
	}
	if r := serveHTTP(t, nil).start(metrics); r.StatusCode != http.StatusNotFound {
		t.Errorf("got status %d; want %d", r.StatusCode, http.StatusNotFound)
	}
}

func TestCOM3HealthNeedsNoTokenAndTellsLittle(t *testing.T) {
	s := serveHTTP(t, nil)
	health := with(call{method: "GET", path: "/healthz"}, "Authorization", "")
	for state, want := range map[fsm.State]int{
		state.Initializing: 200, state.Serving: 200, state.Draining: 503, state.Farewell: 503, state.Stopped: 503, state.Down: 503,
	} {
		s.front.SetLifecycle(state)
		var got map[string]any
		r := s.do(health, &got)
		if diff := cmp.Diff(map[string]any{"ok": want == 200, "lifecycle": string(state)}, got); r.StatusCode != want || diff != "" {
			t.Errorf("%s: status %d, %s", state, r.StatusCode, diff)
		}
	}
}

// JRN-14: below the reserve nothing is accepted, and only holders of a token learn why.
func TestJRN14HealthAndStatusTellOfTooLittleSpace(t *testing.T) {
	s := serveHTTP(t, nil)
	s.front.SetNoSpace("3 bytes left")
	var health, status map[string]any
	if r := s.do(with(call{method: "GET", path: "/healthz"}, "Authorization", ""), &health); r.StatusCode != 503 {
		t.Errorf("health: status %d", r.StatusCode)
	}
	same(t, map[string]any{"ok": false, "lifecycle": "serving"}, health)
	if r := s.do(call{method: "GET", path: "/v1/status"}, &status); r.StatusCode != 200 || status["no_space"] != "3 bytes left" {
		t.Errorf("status %d: %v", r.StatusCode, status)
	}
}

func TestServeEndsWhatIsOpenWhenItsContextEnds(t *testing.T) {
	s := serveHTTP(t, func(o *comm.HTTPOptions) { o.ReadTimeout = time.Hour }) // which ends nothing
	stream := eventsOf(t, s.start(call{method: "POST", path: "/v1/requests?stream=1", body: good}))
	waiting := make(chan string, 1)
	s.when(watching, func() {
		waiting <- s.raw("POST /v1/requests?wait=1 HTTP/1.1\r\nHost: " + s.address + "\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 26\r\n\r\n" + good)
	})
	half, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = half.Close() }()
	if _, err := io.WriteString(half, "POST /v1/requests HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	s.await(func(n fronttest.Seen) bool { return n.Watching == 2 })
	if err := s.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for {
		if _, ok := stream.next(); !ok {
			break
		}
	}
	if got := <-waiting; !strings.HasPrefix(got, "HTTP/1.1 503 ") {
		t.Errorf("a wait ends with %q", got)
	}
	s.await(func(n fronttest.Seen) bool { return n.Watching == 0 })
	if err := s.listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("it still listens: %v", err)
	}
}

func TestServeTellsWhyItCouldNot(t *testing.T) {
	h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{Token: token, RequestBytesMax: 1})
	if err != nil {
		t.Fatal(err)
	}
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := h.Serve(context.Background(), l); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("Serve: %v", err)
	}
}
