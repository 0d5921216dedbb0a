package channels

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/runtime/channel"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/config"
)

// slow is an answer that knows until when it may be written.
type slow struct {
	*httptest.ResponseRecorder
	until time.Time
}

// SetWriteDeadline is what [http.ResponseController] looks for.
func (s *slow) SetWriteDeadline(at time.Time) error { s.until = at; return nil }

// A try may take longer than an answer usually does.
func TestCHN11TheResultOfALongTryIsWritten(t *testing.T) {
	cfg := config.Config{Data: t.TempDir(), RequestBytesMax: 1 << 20, Channels: config.Channels{
		{Name: "hook", Value: config.Channel{Kind: config.ChannelWebhook, URL: "http://127.0.0.1:9"}},
	}}
	talk := New(cfg, fronttest.New(), slog.New(slog.DiscardHandler)) // it does not run: nothing is answered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(`{"chat":"mia"}`))
	r.SetPathValue("name", "hook")
	r.Header.Set("Content-Type", "application/json")
	w := &slow{ResponseRecorder: httptest.NewRecorder()}
	for _, route := range talk.Routes() {
		if route.Pattern != channel.TryRoute {
			continue
		}
		began := time.Now()
		if err := route.Handle(w, r); err != nil || w.Body.String() != `{"id":"","failed":"no answer came in time"}`+"\n" {
			t.Errorf("got %s, %v; want %q", w.Body, err, `{"id":"","failed":"no answer came in time"}`+"\n")
		}
		if w.until.Sub(began) <= tryMax {
			t.Errorf("the answer may be written for %v", w.until.Sub(began))
		}
	}
}

func TestCHN11ATryThatCannotBeReadSaysWhy(t *testing.T) {
	talk := New(config.Config{Data: t.TempDir()}, fronttest.New(), slog.New(slog.DiscardHandler))
	for body, want := range map[string]struct {
		code comm.Code
		says string
	}{
		`{}`:                      {comm.CodeBadRequest, "names no chat"},
		`{"chat":`:                {comm.CodeBadRequest, "ends too early"},
		`{"chat":"mia","to":"x"}`: {comm.CodeBadRequest, `"to"`},
		`{"chat":"mia","text":"` + strings.Repeat("x", tryBytesMax) + `"}`: {comm.CodeTooLarge, "65536 bytes"},
		`{"chat":"mia"}`: {comm.CodeNotFound, "no such channel"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.SetPathValue("name", "none")
		r.Header.Set("Content-Type", "application/json")
		p, is := errors.AsType[*comm.Problem](talk.try(httptest.NewRecorder(), r))
		if !is || p.Code != want.code || !strings.Contains(p.Message, want.says) {
			t.Errorf("%.40s: got %+v; want %s that says %s", body, p, want.code, want.says)
		}
	}
}

// The path of a webhook's URL may be its secret, and the list of channels is not for it.
// A secret is not cut, since half of one would only be refused by the other side.
func TestCHN1ALongFileIsNoSecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	for length, fits := range map[int]bool{secretMax: true, secretMax + 1: false} {
		if err := os.WriteFile(file, []byte(strings.Repeat("x", length)), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Check(config.Channel{Kind: config.ChannelXMPP, PasswordFrom: file})
		if fits != (err == nil) || !fits && !strings.Contains(err.Error(), "has more than 4096 bytes") {
			t.Errorf("%d bytes: got %v; want it to fit: %v", length, err, fits)
		}
	}
}

func TestBRN41AChannelIsListedWithoutThePathOfItsURL(t *testing.T) {
	specs := Specs(config.Config{Channels: config.Channels{
		{Name: "hook", Value: config.Channel{Kind: config.ChannelWebhook, URL: "https://example.org/services/token"}},
	}}, slog.New(slog.DiscardHandler))
	if got, want := specs[0].Of, "https://example.org/…"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
