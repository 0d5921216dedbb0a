package web

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/runtime/egress"
)

// A page that takes for ever to render costs its call the time-out, and many such pages cost no
// more.
func TestTOL73APageThatTakesTooLongToReadIsGivenUp(t *testing.T) {
	f := newFetcher(Options{Guard: &egress.Guard{}, Timeout: time.Millisecond, BytesMax: 1 << 20})
	let := make(chan struct{})
	f.render = func(ctx context.Context, body []byte, media string, at *url.URL, whole bool) (string, string) {
		<-let
		return readable(ctx, body, media, at, whole)
	}
	at := &url.URL{Scheme: "http", Host: "x.example"}
	f.moment = 0
	for i := range rendersMax + 2 { // the last find no place
		ctx, cancel := within(t.Context(), f.options.Timeout)
		_, _, err := f.readable(ctx, []byte("<p>"), "text/html", at, false)
		if err == nil {
			t.Fatal("it waited for the page")
		}
		got := f.failure(ctx, err)
		if want := "could not be rendered as text within 1ms"; !got.Failed || !strings.Contains(got.Text, want) {
			t.Errorf("%d: got %+v, want %q", i, got, want)
		}
		cancel()
	}
	f.moment = time.Hour
	given, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := f.readable(given, nil, "", at, false); err == nil || !strings.Contains(f.failure(given, err).Text, "given up") {
		t.Errorf("stopped: %v", err)
	}
	close(let)
	if text, _, err := f.readable(t.Context(), []byte("<p>soon"), "text/html", at, false); err != nil || text != "soon" {
		t.Errorf("afterwards: %q, %v", text, err)
	}
}

// A rendering that is given up does not go on: it would keep the place of another page.
func TestTOL73ARenderingThatIsGivenUpEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // so that no time passes before it begins
		f := newFetcher(Options{Guard: &egress.Guard{}, Timeout: time.Millisecond, BytesMax: 1 << 20})
		f.moment = 0
		text := make(chan string, 1)
		f.render = func(ctx context.Context, body []byte, media string, at *url.URL, whole bool) (string, string) {
			<-ctx.Done()
			page, kind := readable(ctx, body, media, at, whole)
			text <- page
			return page, kind
		}
		ctx, cancel := within(t.Context(), f.options.Timeout)
		defer cancel()
		if _, _, err := f.readable(ctx, []byte("<p>text"), "text/html", &url.URL{Scheme: "http", Host: "x.example"}, false); err == nil {
			t.Fatal("it waited for the page")
		}
		if got := <-text; got != "" {
			t.Errorf("it was rendered to %q", got)
		}
	})
}
