package comm_test

import (
	"net/http"
	"testing"

	"shelly/runtime/access"
	"shelly/runtime/comm"
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
