package idempotency_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shelly/runtime/comm/idempotency"
)

func TestCOM92AKeyIsForOneRequest(t *testing.T) {
	now := time.UnixMilli(0)
	k := &idempotency.Keys{Now: func() time.Time { return now }}
	mine, yours := idempotency.Name{Caller: "a", Key: "k"}, idempotency.Name{Caller: "b", Key: "k"}
	first, second := idempotency.Sum{1}, idempotency.Sum{2}
	done := &idempotency.Answer{Status: 200, Body: []byte("done")}
	for i, one := range []struct {
		do   func()
		name idempotency.Name
		sum  idempotency.Sum
		want *idempotency.Answer
		err  error
	}{
		{nil, mine, first, nil, nil},
		{nil, mine, first, nil, idempotency.ErrRunning},
		{nil, mine, second, nil, idempotency.ErrOther},
		{nil, yours, second, nil, nil},
		{func() { k.End(mine, done) }, mine, first, done, nil},
		{nil, mine, second, nil, idempotency.ErrOther},
		{func() { k.End(yours, nil) }, yours, first, nil, nil}, // nothing has happened: the key is free
		{func() { now = now.Add(idempotency.Life) }, mine, second, nil, nil},
		{nil, yours, first, nil, idempotency.ErrRunning}, // however long that takes
	} {
		if one.do != nil {
			one.do()
		}
		if got, err := k.Begin(one.name, one.sum); got != one.want || !errors.Is(err, one.err) {
			t.Errorf("%d: got %v, %v; want %v, %v", i, got, err, one.want, one.err)
		}
	}
}

func TestCOM92KeysAreBounded(t *testing.T) {
	k := &idempotency.Keys{Now: time.Now}
	name := func(n int) idempotency.Name { return idempotency.Name{Key: fmt.Sprint(n)} }
	for n := range idempotency.Max {
		if _, err := k.Begin(name(n), idempotency.Sum{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := k.Begin(name(-1), idempotency.Sum{}); !errors.Is(err, idempotency.ErrFull) {
		t.Errorf("got %v; want %v", err, idempotency.ErrFull)
	}
	k.End(name(7), &idempotency.Answer{})
	if _, err := k.Begin(name(-1), idempotency.Sum{}); err != nil {
		t.Errorf("got %v; want no error", err)
	}
	if a, err := k.Begin(name(7), idempotency.Sum{}); a != nil || !errors.Is(err, idempotency.ErrFull) {
		t.Errorf("the oldest is still there: %v, %v", a, err)
	}
}

func TestCOM92AKeyIsAStringOrAWord(t *testing.T) {
	for text, want := range map[string]string{"": "", "abc": "abc", `"abc"`: "abc", `"a\"b\\c"`: `a"b\c`, ` "a" `: "a", `"`: `"`, `""`: ""} {
		if got := idempotency.Key(http.Header{idempotency.Header: {text}}); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// What is sent again gets the answer as it was given, if that may be kept; else it is done again.
func TestCOM92AnAnswerIsGivenAgainWhole(t *testing.T) {
	for bytes, again := range map[int]bool{0: true, 10: true, idempotency.AnswerBytesMax: true, idempotency.AnswerBytesMax + 1: false} {
		k, done := &idempotency.Keys{Now: func() time.Time { return time.UnixMilli(0) }}, 0
		body := strings.Repeat("x", bytes)
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			done++
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusAccepted)
			for _, part := range []string{body[:bytes/2], body[bytes/2:]} {
				_, _ = io.WriteString(w, part)
			}
		})
		for n := range 2 {
			w := httptest.NewRecorder()
			err := k.Serve(w, httptest.NewRequest(http.MethodPost, "/v1/x", nil), idempotency.Name{Caller: "a", Key: "k"}, []byte("sent"), next)
			if err != nil || w.Code != http.StatusAccepted || w.Body.String() != body || w.Header().Get("Content-Type") != "text/plain" {
				t.Errorf("%d bytes, answer %d: %v, status %d, %d bytes", bytes, n+1, err, w.Code, w.Body.Len())
			}
			if replayed := w.Header().Get("Idempotency-Replayed") == "true"; replayed != (again && n == 1) {
				t.Errorf("%d bytes, answer %d is given again: %t", bytes, n+1, replayed)
			}
		}
		if want := map[bool]int{true: 1, false: 2}[again]; done != want {
			t.Errorf("%d bytes: it was done %d times, want %d", bytes, done, want)
		}
	}
}

// A request that failed has not happened, and its key stays free.
func TestCOM92AFailedRequestIsTriedAgain(t *testing.T) {
	k, done := &idempotency.Keys{Now: func() time.Time { return time.UnixMilli(0) }}, 0
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		done++
		w.WriteHeader(http.StatusTooManyRequests)
	})
	for range 2 {
		w := httptest.NewRecorder()
		if err := k.Serve(w, httptest.NewRequest(http.MethodPost, "/v1/x", nil), idempotency.Name{Key: "k"}, nil, next); err != nil || w.Code != http.StatusTooManyRequests {
			t.Errorf("got %v, status %d", err, w.Code)
		}
	}
	if done != 2 {
		t.Errorf("it was tried %d times, want 2", done)
	}
}
