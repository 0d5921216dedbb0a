package webhook_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/webhook"
	"shelly/runtime/comm"
	"shelly/runtime/egress"
)

// The example of the Standard Webhooks libraries.
func TestCHN20ASignatureIsThatOfTheStandard(t *testing.T) {
	key, err := webhook.ParseKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	webhook.Sign(header, key, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got := header.Get("webhook-signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("got %q; want %q", got, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	}
}

func key(t *testing.T, text string) webhook.Key {
	t.Helper()
	k, err := webhook.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestCHN20AMessageThatIsNotSignedIsRefused(t *testing.T) {
	now, body := time.Unix(1_800_000_000, 0), []byte(`{"text":"hi"}`)
	old, current := key(t, "the key of last month"), key(t, "the key of this month")
	signed := func(k webhook.Key, at time.Time, change func(http.Header)) http.Header {
		h := http.Header{}
		webhook.Sign(h, k, "m1", at, body)
		if change != nil {
			change(h)
		}
		return h
	}
	for _, tt := range []struct {
		name   string
		header http.Header
		want   string // of the error; "": there is none
	}{
		{"it is right", signed(current, now, nil), ""},
		{"by another key of the channel", signed(old, now, nil), ""},
		{"among others", signed(current, now, func(h http.Header) {
			h.Set("webhook-signature", "v1a,AAAA v1,!!! v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))+" "+h.Get("webhook-signature"))
		}), ""},
		{"by a strange key", signed(key(t, "the key of somebody"), now, nil), "webhook-signature"},
		{"another version", signed(current, now, func(h http.Header) { h.Set("webhook-signature", "v2"+h.Get("webhook-signature")[2:]) }), "webhook-signature"},
		{"none", http.Header{}, "webhook-id"},
		{"no signature", signed(current, now, func(h http.Header) { h.Del("webhook-signature") }), "webhook-signature"},
		{"an empty one", signed(current, now, func(h http.Header) { h.Set("webhook-signature", "v1,") }), "webhook-signature"},
		{"of another id", signed(current, now, func(h http.Header) { h.Set("webhook-id", "m2") }), "webhook-signature"},
		{"of another time", signed(current, now, func(h http.Header) { h.Set("webhook-timestamp", "1800000001") }), "webhook-signature"},
		{"no time", signed(current, now, func(h http.Header) { h.Del("webhook-timestamp") }), "webhook-timestamp"},
		{"too old", signed(current, now.Add(-6*time.Minute), nil), "away from now"},
		{"too new", signed(current, now.Add(6*time.Minute), nil), "away from now"},
		{"a time beyond all", signed(current, now, func(h http.Header) { h.Set("webhook-timestamp", "9223372036854775807") }), "away from now"},
		{"a control character", signed(current, now, func(h http.Header) { h.Set("webhook-id", "m\x01") }), "webhook-id"},
		{"too long an id", signed(current, now, func(h http.Header) { h.Set("webhook-id", strings.Repeat("m", 129)) }), "webhook-id"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			id, err := webhook.Verify(tt.header, []webhook.Key{current, old}, now, body)
			if tt.want == "" {
				if err != nil || id != "m1" {
					t.Errorf("got %q, %v; want %q", id, err, "m1")
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %q, %v; want an error with %q", id, err, tt.want)
			}
		})
	}
}

func TestCHN20AKeyIsLongEnough(t *testing.T) {
	for _, text := range []string{"", "short", "whsec_", "whsec_!!!", "whsec_AAAA"} {
		if _, err := webhook.ParseKey(text); err == nil {
			t.Errorf("%q is a key", text)
		}
	}
}

// inbound is what takes messages.
type inbound struct {
	up    chan string
	mu    sync.Mutex
	taken channel.Taken
	err   error
	seen  []channel.Message
}

func (i *inbound) Take(_ context.Context, m channel.Message) (channel.Taken, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen = append(i.seen, m)
	return i.taken, i.err
}
func (i *inbound) Allows(string) bool            { return true }
func (i *inbound) Up(how string)                 { i.up <- how }
func (i *inbound) Returned(_, _ string, _ error) {}

func (i *inbound) Typing(_, _ string) {}

const secret = "the key of this month"

// runs has a webhook at work.
func runs(t *testing.T, o webhook.Options) (*webhook.Webhook, *inbound) {
	t.Helper()
	o.Name, o.TextMax, o.Log, o.Now = "hook", 1000, slog.New(slog.DiscardHandler), time.Now
	o.Keys = func() ([]webhook.Key, error) { return []webhook.Key{webhook.Key(secret)}, nil }
	h, in := webhook.New(o), &inbound{up: make(chan string, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx, in) }()
	<-in.up
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return h, in
}

// post sends a signed message.
func post(t *testing.T, h *webhook.Webhook, body string) (int, string, error) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/v1/channels/hook", strings.NewReader(body))
	webhook.Sign(r.Header, webhook.Key(secret), "m1", time.Now(), []byte(body))
	w := httptest.NewRecorder()
	err := h.Handle(w, r)
	return w.Code, w.Body.String(), err
}

func TestCHN20AMessageIsAnsweredAsItWasTaken(t *testing.T) {
	h, in := runs(t, webhook.Options{})
	for _, tt := range []struct {
		body   string
		taken  channel.Taken
		err    error
		status int
		want   string // the answer, or of the error
	}{
		{`{"text":"hi"}`, channel.Taken{ID: "m1", New: true}, nil, 202, `{"id":"m1","state":"accepted"}`},
		{`{"text":"hi","chat":"ops","sender":"mia"}`, channel.Taken{ID: "m1"}, nil, 200, `{"id":"m1","state":"accepted"}`},
		{`{"text":"hi"}`, channel.Taken{ID: "m1", Done: true}, nil, 200, `{"id":"m1","state":"done"}`},
		{`{"text":"/status"}`, channel.Taken{ID: "m1", New: true, Done: true}, nil, 202, `{"id":"m1","state":"done"}`},
		{`{"text":"approve 012345"}`, channel.Taken{Refused: channel.Spoken}, nil, 200, `{"state":"decided"}`},
		{`{"text":"approve 012345"}`, channel.Taken{Refused: channel.Closed}, nil, 200, `{"state":"closed"}`},
		{`{"text":"hi"}`, channel.Taken{Refused: channel.NotAllowed}, nil, 403, "may not talk"},
		{`{"text":"hi"}`, channel.Taken{Refused: channel.TooMany}, nil, 429, "too many"},
		{`{"text":"hi"}`, channel.Taken{Refused: channel.TooLong}, nil, 413, "the text is longer than 1000 bytes, or the name of the chat than 128"},
		{`{"text":"hi"}`, channel.Taken{Refused: channel.Conflict}, nil, 409, "webhook-id"},
		{`{"text":"hi"}`, channel.Taken{}, engine.ErrBusy, 0, engine.ErrBusy.Error()},
		{`{"text":""}`, channel.Taken{}, nil, 400, "missing or empty"},
		{`{"text":" \n"}`, channel.Taken{}, nil, 400, "missing or empty"},
		{`{"text":"hi","chat":"a\nb"}`, channel.Taken{}, nil, 400, `"chat" holds a control character`},
		{`{"text":"hi","chat":"a\ud800"}`, channel.Taken{}, nil, 400, `"chat" holds U+FFFD`},
		{`{"text":"hi","sender":"` + strings.Repeat("m", 257) + `"}`, channel.Taken{}, nil, 400, `"sender" is longer`},
		{`{"txt":"hi"}`, channel.Taken{}, nil, 400, `unknown field "txt"`},
		{`{"text":"hi","text":"ho"}`, channel.Taken{}, nil, 400, "text"},
		{`hello`, channel.Taken{}, nil, 400, ""},
		{`{"text":"` + strings.Repeat(`\u0431`, 500) + `","chat":"` + strings.Repeat("x", 3000) + `"}`, channel.Taken{ID: "m1", New: true}, nil, 202, "accepted"},
		{`{"text":"` + strings.Repeat("a", 10100) + `"}`, channel.Taken{}, nil, 413, "too long"},
	} {
		in.mu.Lock()
		in.taken, in.err = tt.taken, tt.err
		in.mu.Unlock()
		status, got, err := post(t, h, tt.body)
		if p, ok := errors.AsType[*comm.Problem](err); ok {
			status, got = p.Code.Status(), p.Message
		} else if err != nil {
			status, got = 0, err.Error()
		}
		if status != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%.40s: %d %s, want %d %s", tt.body, status, got, tt.status, tt.want)
		}
	}
	want := []channel.Message{{ID: "m1", Chat: "direct", Sender: "hook", Text: "hi"}, {ID: "m1", Chat: "ops", Sender: "mia", Text: "hi"}}
	if len(in.seen) != 12 || in.seen[0] != want[0] || in.seen[1] != want[1] {
		t.Errorf("got %+v; want 12 messages, beginning with %+v", in.seen, want)
	}
}

// A sender gives a message up that is refused as too long, so a connection that breaks must not look like that.
func TestCHN20AMessageThatDoesNotComeWholeMayBeSentAgain(t *testing.T) {
	h, in := runs(t, webhook.Options{})
	broken := iotest.ErrReader(io.ErrUnexpectedEOF)
	err := h.Handle(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/channels/hook", io.MultiReader(strings.NewReader(`{"text":`), broken)))
	var p *comm.Problem
	if !errors.As(err, &p) || p.Code.Status() != http.StatusRequestTimeout || len(in.seen) > 0 {
		t.Errorf("%v, taken %d", err, len(in.seen))
	}
	malformed := iotest.ErrReader(errors.New("malformed chunked encoding")) // as it would be if it was sent again
	err = h.Handle(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/channels/hook", malformed))
	if !errors.As(err, &p) || p.Code.Status() != http.StatusBadRequest || len(in.seen) > 0 {
		t.Errorf("malformed: %v, taken %d", err, len(in.seen))
	}
}

// receiver is who gets what goes out.
func receiver(t *testing.T, answer func(n int, w http.ResponseWriter)) (url string, allow egress.Guard, got func() []webhook.Body) {
	t.Helper()
	var mu sync.Mutex
	var all []webhook.Body
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		id, err := webhook.Verify(r.Header, []webhook.Key{webhook.Key(secret)}, time.Now(), text)
		var b webhook.Body
		if err := errors.Join(err, json.Unmarshal(text, &b)); err != nil || id != b.ID {
			t.Errorf("%s: got %v; want %s", id, err, b.ID)
		}
		mu.Lock()
		all = append(all, b)
		n := len(all)
		mu.Unlock()
		answer(n, w)
	}))
	t.Cleanup(s.Close)
	allowed, err := egress.ParseAllowed(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return s.URL, egress.Guard{Allow: []egress.Allowed{allowed}}, func() []webhook.Body {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

func TestCHN22WhatGoesOutIsSignedAndTakenByA2xx(t *testing.T) {
	statuses := []int{200, 204, 500, 429, 307, 413, 422, 404, 502, 503, 504}
	url, guard, got := receiver(t, func(n int, w http.ResponseWriter) {
		if statuses[n-1] == 307 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(statuses[n-1])
	})
	h, _ := runs(t, webhook.Options{URL: url, Guard: guard})
	m := channel.Outbound{ID: "re-1", Kind: channel.KindAnswer, Chat: "ops", Re: "m1", Text: "Hello.", More: true}
	for _, status := range statuses {
		err := h.Send(t.Context(), m)
		var refused *channel.Refused
		if (err == nil) != (status < 300) || errors.As(err, &refused) != (status == 413 || status == 422) || err != nil && !strings.Contains(err.Error(), strconv.Itoa(status)) {
			t.Errorf("got %v; want an error that names %d: %t", err, status, status >= 300)
		}
		if errors.As(err, new(*channel.OfChat)) != (status == 500 || status == 404) {
			t.Errorf("%d: other chats wait: %T", status, err)
		}
	}
	if all := got(); len(all) != len(statuses) || all[0] != (webhook.Body{Type: "answer", ID: "re-1", Chat: "ops", Re: "m1", Text: "Hello.", More: true}) {
		t.Errorf("got %+v; want %d of them, [0] %+v", all, len(statuses), (webhook.Body{Type: "answer", ID: "re-1", Chat: "ops", Re: "m1", Text: "Hello.", More: true})) // a redirect that is followed would be one more
	}
}

func TestCHN22AReceiverSaysWhenToSendAgain(t *testing.T) {
	for _, status := range []int{http.StatusServiceUnavailable, http.StatusInternalServerError} {
		saysWhenToSendAgain(t, status)
	}
}

func saysWhenToSendAgain(t *testing.T, status int) {
	cases := []struct {
		says     string
		from, to time.Duration // 0: it does not say
	}{
		{"", 0, 0}, {"soon", 0, 0}, {"-5", 0, 0}, {"120", 2 * time.Minute, 2 * time.Minute}, {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Minute, time.Hour},
		{time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0, 0},
	}
	url, guard, _ := receiver(t, func(n int, w http.ResponseWriter) {
		w.Header().Set("Retry-After", cases[n-1].says)
		w.WriteHeader(status)
	})
	h, _ := runs(t, webhook.Options{URL: url, Guard: guard})
	for _, tt := range cases {
		err := h.Send(t.Context(), channel.Outbound{ID: "re-1", Text: "Hello."})
		var later *channel.Later
		if errors.As(err, &later) != (tt.to > 0) || later != nil && (later.After < tt.from || later.After > tt.to) || !strings.Contains(err.Error(), strconv.Itoa(status)) {
			t.Errorf("%q: got %v, %+v; want an error that names %d, later by %v to %v", tt.says, err, later, status, tt.from, tt.to)
		}
	}
}

// A receiver that has a message and does not answer may answer about another chat.
func TestCHN22ASilentReceiverMakesOnlyTheChatWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent := make(chan struct{})
	url, guard, _ := receiver(t, func(n int, _ http.ResponseWriter) {
		if n == 1 {
			panic(http.ErrAbortHandler)
		}
		cancel()
		<-silent
	})
	t.Cleanup(func() { close(silent) })
	h, _ := runs(t, webhook.Options{URL: url, Guard: guard})
	for _, what := range []string{"cut", "silent"} {
		err := h.Send(ctx, channel.Outbound{ID: "re-1", Chat: "ops", Text: "Hello."})
		if !errors.As(err, new(*channel.OfChat)) {
			t.Errorf("%s: got %v; want a channel.OfChat", what, err)
		}
	}
	const nobody = "127.0.0.1:1"
	allowed, err := egress.ParseAllowed(nobody)
	if err != nil {
		t.Fatal(err)
	}
	h, _ = runs(t, webhook.Options{URL: "http://" + nobody, Guard: egress.Guard{Allow: []egress.Allowed{allowed}}})
	if err := h.Send(t.Context(), channel.Outbound{ID: "re-1", Chat: "ops", Text: "Hello."}); err == nil || errors.As(err, new(*channel.OfChat)) {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestCHN22AnAddressThatIsNotAllowedIsNotReached(t *testing.T) {
	url, _, got := receiver(t, func(_ int, w http.ResponseWriter) { w.WriteHeader(200) })
	h, _ := runs(t, webhook.Options{URL: url})
	err := h.Send(t.Context(), channel.Outbound{ID: "re-1", Text: "Hello."})
	if !errors.As(err, new(*egress.Refused)) || strings.Contains(err.Error(), url) || len(got()) != 0 {
		t.Errorf("got %v, %v; want an egress.Refused, without %q, none", err, got(), url)
	}
}

func TestCHN20WithoutAKeyNothingIsTaken(t *testing.T) {
	h := webhook.New(webhook.Options{Name: "hook", Log: slog.New(slog.DiscardHandler), Now: time.Now, Keys: func() ([]webhook.Key, error) { return nil, nil }})
	if err := h.Run(t.Context(), &inbound{up: make(chan string, 1)}); err == nil {
		t.Error("it runs")
	}
	if _, _, err := post(t, h, `{"text":"hi"}`); err == nil {
		t.Error("it takes a message")
	}
}

func TestCHN20WhatIsNotSignedIsNotTaken(t *testing.T) {
	h, in := runs(t, webhook.Options{})
	for name, by := range map[string]string{"by nobody": "", "by somebody": "the key of somebody"} {
		body := `{"text":"hi"}`
		r := httptest.NewRequest(http.MethodPost, "/v1/channels/hook", strings.NewReader(body))
		if by != "" {
			webhook.Sign(r.Header, webhook.Key(by), "m1", time.Now(), []byte(body))
		}
		err := h.Handle(httptest.NewRecorder(), r)
		if p, ok := errors.AsType[*comm.Problem](err); !ok || p.Code != comm.CodeUnauthorized || !strings.Contains(p.Hint, "whsec_") || len(in.seen) > 0 {
			t.Errorf("%s: got %v, taken %d; want code %q with what key libraries need, taken 0", name, err, len(in.seen), comm.CodeUnauthorized)
		}
	}
}
