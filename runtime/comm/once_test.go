package comm_test

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"shelly/fsm"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
)

func keyed(c call, key string) call { return with(c, "Idempotency-Key", key) }

func TestCOM92TheKeyIsTheIDOfARequest(t *testing.T) {
	s := serveHTTP(t, nil)
	var receipt comm.Receipt
	for range 2 {
		if r := s.do(keyed(post(`{"text":"hello"}`), `"k-1"`), &receipt); r.StatusCode != http.StatusAccepted || receipt.ID != "k-1" {
			t.Fatalf("status %d, %+v", r.StatusCode, receipt)
		}
	}
	if got := s.front.Seen().Accepted; len(got) != 1 {
		t.Errorf("accepted %q", got)
	}
	for body, want := range map[string]int{
		`{"text":"another"}`: 409, `{"id":"m2","text":"hello"}`: 400, `{"id":"k-1","text":"hello"}`: 202,
	} {
		if r := s.start(keyed(post(body), "k-1")); r.StatusCode != want {
			t.Errorf("%s: status %d, want %d", body, r.StatusCode, want)
		}
	}
}

func TestCOM92WhatIsSentAgainIsAnsweredAsItWas(t *testing.T) {
	c := serveClub(t)
	event := call{method: "POST", path: "/v1/events", body: `{"source":"disk","event":"full"}`}
	for n := range 3 {
		r := c.start(keyed(event, "k"))
		if again := r.Header.Get("Idempotency-Replayed") != ""; r.StatusCode != http.StatusAccepted || again != (n > 0) {
			t.Errorf("status %d, %t", r.StatusCode, again)
		}
	}
	other := event
	other.body = `{"source":"disk","event":"empty"}`
	if r := c.start(keyed(other, "k")); r.StatusCode != http.StatusConflict {
		t.Errorf("another body: status %d", r.StatusCode)
	}
	sensor := c.as("sensor", access.Events)(other)
	sensor.header.Set("Idempotency-Key", "k")
	if r := c.start(sensor); r.StatusCode != http.StatusAccepted {
		t.Errorf("another caller's key: status %d", r.StatusCode)
	}
	wrong := keyed(call{method: "POST", path: "/v1/events", body: `{"source":"disk"}`}, "w")
	if r := c.start(wrong); r.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", r.StatusCode)
	}
	if r := c.start(keyed(event, "w")); r.StatusCode != http.StatusAccepted { // nothing has happened before
		t.Errorf("the key of a refused one: status %d", r.StatusCode)
	}
	if got := len(c.front.Seen().Raised); got != 3 {
		t.Errorf("%d events were raised", got)
	}
}

// slow is a daemon in which an event becomes durable when the test says so.
type slow struct {
	*fronttest.Front
	raised, durable chan struct{}
}

// Raise implements [comm.Front]. As in the daemon, an event whose client goes meanwhile is raised all
// the same.
func (s slow) Raise(ctx context.Context, e fsm.EventRaised) error {
	s.raised <- struct{}{}
	select {
	case <-s.durable:
		return s.Front.Raise(ctx, e)
	case <-ctx.Done():
		return cmp.Or(s.Front.Raise(ctx, e), ctx.Err())
	}
}

// A client that loses its connection is the one that sends its request again.
func TestCOM92WhatItsClientHasLeftIsNotDoneAgain(t *testing.T) {
	front := slow{fronttest.New(), make(chan struct{}, 2), make(chan struct{})}
	h, err := comm.NewHTTP(front, comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left := context.AfterFunc(r.Context(), func() { gone <- struct{}{} })
		defer left()
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	s := &site{t: t, address: server.Listener.Addr().String(), client: server.Client()}
	const body = `{"source":"disk","event":"full"}`
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "POST /v1/events HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: %d\r\n\r\n%s",
		s.address, token, len(body), body)
	<-front.raised
	conn.Close()
	<-gone
	close(front.durable)
	again := http.StatusTooManyRequests
	var r *http.Response
	for again == http.StatusTooManyRequests { // the first is still being answered
		r = s.start(keyed(call{method: "POST", path: "/v1/events", body: body}, "k"))
		again = r.StatusCode
	}
	if raised := len(front.Seen().Raised); again != http.StatusAccepted || r.Header.Get("Idempotency-Replayed") == "" || raised != 1 {
		t.Errorf("sent again: status %d, %v, and %d events were raised", again, r.Header, raised)
	}
}

func TestCOM92WhatIsBeingAnsweredIsBusyForAWhile(t *testing.T) {
	front := slow{fronttest.New(), make(chan struct{}, 1), make(chan struct{})}
	h, err := comm.NewHTTP(front, comm.HTTPOptions{Token: token, RequestBytesMax: 4096})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	s := &site{t: t, address: server.Listener.Addr().String(), client: server.Client()}
	event := keyed(call{method: "POST", path: "/v1/events", body: `{"source":"disk","event":"full"}`}, "k")
	first := make(chan int, 1)
	go func() { first <- s.start(event).StatusCode }()
	<-front.raised
	if r := s.start(event); r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") != "1" {
		t.Errorf("meanwhile: status %d, %v", r.StatusCode, r.Header)
	}
	close(front.durable)
	if status := <-first; status != http.StatusAccepted {
		t.Errorf("status %d", status)
	}
}
