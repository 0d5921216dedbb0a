package channels

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shelly/runtime/channel"
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

// The path of a webhook's URL may be its secret, and the list of channels is not for it.
func TestBRN41AChannelIsListedWithoutThePathOfItsURL(t *testing.T) {
	specs := Specs(config.Config{Channels: config.Channels{
		{Name: "hook", Value: config.Channel{Kind: config.ChannelWebhook, URL: "https://example.org/services/token"}},
	}}, slog.New(slog.DiscardHandler))
	if got, want := specs[0].Of, "https://example.org/…"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
