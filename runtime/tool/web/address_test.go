package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/runtime/egress"
	"shelly/runtime/tool/web"
)

// addressCase is an address that a model, a page or a name server may come up with.
type addressCase struct {
	ID     string
	URL    string
	Want   string     // refused, reached (a connection is opened), bounded
	DNS    [][]string // see network
	Server struct {
		Status        int
		Location      string
		Drip          string
		TLS           string
		ContentLength int `json:"content_length"`
		Send          int
	}
	Says string
}

// handler answers as the case says.
func (c addressCase) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := c.Server
		switch {
		case s.Location != "":
			w.Header().Set("Location", s.Location)
			w.WriteHeader(s.Status)
		case s.Drip != "":
			fmt.Fprint(w, "drip ")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case s.Send > 0:
			w.Header().Set("Content-Length", fmt.Sprint(s.ContentLength))
			fmt.Fprint(w, strings.Repeat("a", s.Send))
		case s.Status != 0:
			w.WriteHeader(s.Status)
		default:
			fmt.Fprint(w, "reached")
		}
	})
}

func TestTOL71AddressesAreRefusedOrReached(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "addresses.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []addressCase
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:8080")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:8080")
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.play(t) })
		})
	}
}

func (c addressCase) play(t *testing.T) {
	n := &network{dns: c.DNS, handler: c.handler(), tls: c.Server.TLS != ""}
	if n.dns == nil && c.Want == "reached" {
		n.dns = [][]string{{"93.184.216.34"}}
	}
	result := fetched(t, n, c.URL)
	guard := egress.Guard{}
	for _, to := range n.opened {
		if err := guard.Check("", to); err != nil {
			t.Errorf("%s: a connection to %v was opened: %v", c.URL, to, err)
		}
	}
	switch {
	case c.Want == "refused" && c.Server.Location == "" && len(c.DNS) < 2 && (len(n.opened) > 0 || !result.Failed):
		t.Errorf("%s: %v was opened; the result is %+v", c.URL, n.opened, result)
	case c.Want == "refused" && len(c.DNS) < 2 && (!result.Failed || !result.Invalid && !strings.Contains(result.Text, "no host")):
		t.Errorf("%s is not refused for good: %+v", c.URL, result)
	case c.Want != "refused" && len(n.opened) == 0:
		t.Errorf("%s: nothing was opened; the result is %+v", c.URL, result)
	case !strings.Contains(result.Text, c.Says):
		t.Errorf("%s: %q, want %q in it", c.URL, result.Text, c.Says)
	}
}

// A name with another address at the next lookup is checked at the next dial, because no
// connection is kept.
func TestTOL71EachDialIsChecked(t *testing.T) {
	n := &network{dns: [][]string{{"93.184.216.34"}, {"127.0.0.1"}}}
	tools, err := web.Tools(options(n.guard(t)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"reached", "an address of this machine"} {
		got := tools[0].Run(t.Context(), call(`{"url":"http://ttl0.test/"}`))
		if !strings.Contains(got.Text, want) || got.Failed != (i == 1) {
			t.Errorf("call %d: %+v, want %q", i, got, want)
		}
	}
}

func TestTOL71WhatTheOperatorAllowsIsReached(t *testing.T) {
	for _, c := range []struct {
		url, allow string
		want       bool
	}{
		{"http://127.0.0.1/", "127.0.0.1", true},
		{"http://127.0.0.1:8080/", "127.0.0.1", true},
		{"http://127.0.0.1:9999/", "127.0.0.1", false},
		{"http://127.0.0.1:9999/", "127.0.0.1:9999", true},
		{"http://127.0.0.2:9999/", "127.0.0.1:9999", false},
		{"http://127.0.0.1/", "127.0.0.1:9999", false},
		{"http://LOCALHOST:9999/", "127.0.0.1:9999", true},
		{"http://[::1]/", "127.0.0.1", false},
		{"http://[::ffff:10.1.2.3]/", "10.0.0.0/8", true},
		{"http://10.1.2.3/", "10.0.0.0/8", true},
		{"http://11.1.2.3:22/", "10.0.0.0/8", false},
		{"http://intranet.test/", "intranet.test", true},
		{"http://Intranet.Test./", "intranet.test", true},
		{"http://other.test/", "intranet.test", false},
		{"http://x.intranet.test/", "intranet.test", false},
		{"http://[fd00::5]:8000/", "[fd00::/8]:8000", true},
	} {
		n := &network{dns: [][]string{{"192.168.7.7"}}}
		got := fetched(t, n, c.url, c.allow)
		if reached := len(n.opened) > 0; reached != c.want || got.Failed == c.want {
			t.Errorf("%s with %s allowed: opened %v, %+v", c.url, c.allow, n.opened, got)
		}
	}
}

// What is asked for is one word, whatever the query holds, also that of a redirect.
// What stands around an address is not guessed away, but the failure names what is left.
func TestTOL72AnAddressStandsAlone(t *testing.T) {
	for _, url := range []string{"<https://public.test/a?b=c>", "[a page](https://public.test/a?b=c)", "`https://public.test/a?b=c`"} {
		got := fetched(t, &network{}, url)
		if want := `url is more than an address; give "https://public.test/a?b=c" alone`; !got.Invalid || got.Text != want {
			t.Errorf("%s: %+v; want %q", url, got, want)
		}
	}
	if got := fetched(t, &network{}, "127.0.0.1:80/a"); !got.Invalid || got.Text != `"127.0.0.1:80/a" is not an address; url must begin with https:// or http://` {
		t.Errorf("got %+v", got)
	}
}

func TestTOL72AQueryIsEncoded(t *testing.T) {
	var asked []string
	n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked = append(asked, r.RequestURI); len(asked) == 1 {
			w.Header()["Location"] = []string{`/next?q="x y"`}
			w.WriteHeader(http.StatusFound)
		}
	})}
	got := fetched(t, n, "http://public.test/ü?q=ä b&r=%20+<c>|'d'#e f")
	want := []string{"/%C3%BC?q=%C3%A4%20b&r=%20+%3Cc%3E|'d'", "/next?q=%22x%20y%22"}
	if got.Failed || !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q: %+v", asked, want, got)
	}
}

func TestTOL72RedirectsEnd(t *testing.T) {
	asked := 0
	n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, fmt.Sprintf("/%d", asked), http.StatusFound)
	})}
	if got := fetched(t, n, "http://public.test/"); !got.Invalid || !strings.Contains(got.Text, "more than 5 redirects") || asked != 6 {
		t.Errorf("%+v after %d requests", got, asked)
	}
}

func TestTOL73ABodyIsReadAsFarAsItMay(t *testing.T) {
	n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil { // for ever
			if _, err := w.Write([]byte(strings.Repeat("word ", 1000))); err != nil {
				return
			}
		}
	})}
	o := options(n.guard(t))
	o.BytesMax = 10_000
	got := called(t, o, web.FetchName, map[string]any{"url": "http://public.test/"})
	if got.Failed || !strings.Contains(got.Text, "only the first 10000 bytes") || len(got.Text) > 11_000 {
		t.Errorf("%d bytes: %.100s … %+v", len(got.Text), got.Text, got.Failed)
	}
	if at := strings.Index(got.Text, "[incomplete"); at < 0 || at > strings.Index(got.Text, "word") {
		t.Errorf("the mark is not before the text, whose end may be cut: %.200s", got.Text)
	}
}

// A page that just fits is whole.
func TestTOL73APageOfTheLongestLengthIsWhole(t *testing.T) {
	for bytes, cut := range map[int]bool{999: false, 1000: false, 1001: true} {
		n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(strings.Repeat("z", bytes)))
		})}
		o := options(n.guard(t))
		o.BytesMax = 1000
		got := called(t, o, web.FetchName, map[string]any{"url": "http://public.test/"})
		if got.Failed || strings.Contains(got.Text, "[incomplete") != cut || strings.Count(got.Text, "z") != min(bytes, 1000) {
			t.Errorf("%d bytes: %d of them, %.120q; want all: %t", bytes, strings.Count(got.Text, "z"), got.Text, !cut)
		}
	}
}

func TestTOL73NoToolIsWithoutBounds(t *testing.T) {
	for _, o := range []web.Options{
		{Fetch: true, Timeout: 1}, {Fetch: true, BytesMax: 1}, {Search: web.Search{Kind: "searxng", URL: "http://127.0.0.1:1"}, Timeout: 1},
	} {
		if list, err := web.Tools(o); err == nil {
			t.Errorf("%+v: got %d tools; want none", o, len(list))
		}
	}
}

func TestTOL73ACallThatIsGivenUpEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })}
		begun := time.Now()
		got := fetched(t, n, "http://public.test/")
		if !got.Failed || !strings.Contains(got.Text, "no answer within 30s") || time.Since(begun) != 30*time.Second {
			t.Errorf("%+v after %v", got, time.Since(begun))
		}
	})
}
