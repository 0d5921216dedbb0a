package idempotency_test

import (
	"errors"
	"fmt"
	"net/http"
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
