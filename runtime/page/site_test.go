package page

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// call asks a site as a browser of this machine would.
func call(s *Site, method, path, body string) *http.Response {
	r := httptest.NewRequestWithContext(contextOf(), method, path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func own(_, _ net.Addr) bool { return true }

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestCOM70EveryAnswerKeepsThePageToItself(t *testing.T) {
	s := New(Options{Own: own})
	paths := []string{"/page", tokenPath, Path + "no-such", Path + "../token", Path + "assets/app.js", Path + "index.html"}
	for p := range s.files {
		paths = append(paths, p)
	}
	for _, p := range paths {
		header := call(s, "GET", p, "").Header
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", p, name, got, want)
			}
		}
	}
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !slices.Contains(strings.Split(policy, "; "), want) {
			t.Errorf("the policy lacks %s", want)
		}
	}
}

func TestCOM70OnlyTheEmbeddedFilesAreServed(t *testing.T) {
	s := New(Options{Own: own})
	for p, f := range s.files {
		r := call(s, "GET", p, "")
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != f.media || f.media == "application/octet-stream" || text(t, r) == "" {
			t.Errorf("%s: status %d, type %q", p, r.StatusCode, r.Header.Get("Content-Type"))
		}
		if r := call(s, "HEAD", p, ""); r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != f.media {
			t.Errorf("HEAD %s: status %d, type %q", p, r.StatusCode, r.Header.Get("Content-Type"))
		}
		if r := call(s, "POST", p, ""); r.StatusCode != http.StatusMethodNotAllowed || r.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST %s: status %d", p, r.StatusCode)
		}
	}
	for _, p := range []string{"no", "assets/app.js", "index.html", "../page/app.js", "%2e%2e/token", "app.js/", ".", "APP.JS"} {
		if r := call(s, "GET", Path+p, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", p, r.StatusCode)
		}
	}
	if r := call(s, "GET", "/page", ""); r.StatusCode != http.StatusPermanentRedirect || r.Header.Get("Location") != Path {
		t.Errorf("/page: status %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
}

// Every embedded file is referred to, starting from the document, and every file referred to is
// embedded.
func TestCOM70TheFilesNameEachOtherAndNothingOutside(t *testing.T) {
	named, all := map[string]bool{"index.html": true}, files()
	refer := regexp.MustCompile(`(?:\b(?:src|href)=|\bfrom |\bimport )['"]([^'"]*)['"]`)
	for todo := []string{"index.html"}; len(todo) > 0; todo = todo[1:] {
		data, err := assets.ReadFile("assets/" + todo[0])
		if err != nil {
			t.Errorf("%s is named and not there", todo[0])
			continue
		}
		for _, m := range refer.FindAllStringSubmatch(string(data), -1) {
			name := strings.TrimPrefix(m[1], "./")
			if strings.HasPrefix(name, "#") || named[name] {
				continue
			}
			if name != path.Base(name) {
				t.Errorf("%s names %q", todo[0], m[1])
			}
			named[name] = true
			todo = append(todo, name)
		}
	}
	list, err := os.ReadDir("assets")
	if err != nil || len(list) != len(all) {
		t.Fatalf("%d files, %d served: %v", len(list), len(all), err)
	}
	for _, f := range list {
		if !named[f.Name()] {
			t.Errorf("nothing names %s", f.Name())
		}
	}
}

func TestCOM73NoFileMakesMarkupOfTextOrLeadsOutside(t *testing.T) {
	bad := regexp.MustCompile(`(?i:innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|srcdoc|DOMParser|createContextualFragment|setAttribute\('style|javascript:|@import|//[a-z0-9-]+\.[a-z]{2,})|\burl\(`)
	for name, f := range files() {
		for _, m := range bad.FindAllString(string(f.data), -1) {
			if m != "//www.w3" { // the name of SVG
				t.Errorf("%s has %q", name, m)
			}
		}
	}
}

func token(t *testing.T, r *http.Response) string {
	t.Helper()
	var body struct{ Token string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return body.Token
}

func TestCOM71ATicketIsTakenOnceAndSoon(t *testing.T) {
	now := time.Unix(1e9, 0)
	s := New(Options{Now: func() time.Time { return now }, Own: own})
	ticket, at, life := s.Ticket()
	if at != Path || life != time.Minute || len(ticket) != 64 {
		t.Fatalf("ticket %q at %q for %s", ticket, at, life)
	}
	body := fmt.Sprintf(`{"ticket": %q}`, ticket)
	first := token(t, call(s, "POST", tokenPath, body))
	if !s.Holds(first) || s.Holds(ticket) || s.Holds("") {
		t.Error("the token is not held, or something else is")
	}
	if r := call(s, "POST", tokenPath, body); r.StatusCode != http.StatusUnauthorized || !strings.Contains(text(t, r), "shelly page") {
		t.Errorf("the second time: %d", r.StatusCode)
	}
	late, _, _ := s.Ticket()
	now = now.Add(TicketLife)
	if r := call(s, "POST", tokenPath, fmt.Sprintf(`{"ticket": %q}`, late)); r.StatusCode != http.StatusUnauthorized {
		t.Errorf("too late: %d", r.StatusCode)
	}
	now = now.Add(TokenIdle - TicketLife - time.Second)
	if !s.Holds(first) {
		t.Error("the token has ended too early")
	}
	now = now.Add(TokenIdle - time.Second)
	if !s.Holds(first) {
		t.Error("a token that is used has ended")
	}
	now = now.Add(TokenIdle)
	if s.Holds(first) {
		t.Error("an idle token has not ended")
	}
}

func TestCOM71TicketsAndTokensAreBounded(t *testing.T) {
	s := New(Options{Own: own})
	var tickets []string
	for range TicketsMax + 1 {
		ticket, _, _ := s.Ticket()
		tickets = append(tickets, ticket)
	}
	if _, ok := s.keys.token(tickets[0]); ok {
		t.Error("the oldest of too many tickets is good")
	}
	used, _ := s.keys.token(tickets[1])
	idle, _ := s.keys.token(tickets[2])
	for range TokensMax - 1 {
		s.keys.holds(used)
		ticket, _, _ := s.Ticket()
		s.keys.token(ticket)
	}
	if s.Holds(idle) || !s.Holds(used) {
		t.Errorf("of too many tokens the idle one is held: %t, the used one: %t", s.Holds(idle), s.Holds(used))
	}
}

func TestCOM71WhatIsNotATicketIsRefused(t *testing.T) {
	s := New(Options{Own: own})
	for name, c := range map[string]struct {
		method, body, media string
		want                int
	}{
		"GET":          {"GET", "", "", 405},
		"no JSON":      {"POST", "ticket", "application/json", 400},
		"a form":       {"POST", "ticket=a", "application/x-www-form-urlencoded", 415},
		"plain text":   {"POST", `{"ticket":"a"}`, "text/plain", 415},
		"too long":     {"POST", `{"ticket":"` + strings.Repeat("a", bodyBytesMax) + `"}`, "application/json", 400},
		"empty":        {"POST", `{"ticket":""}`, "application/json", 401},
		"an array":     {"POST", `[]`, "application/json", 400},
		"a wrong one":  {"POST", `{"ticket":"` + strings.Repeat("0", 64) + `"}`, "application/json", 401},
		"another name": {"POST", `{"token":"a"}`, "application/json", 401},
	} {
		r := httptest.NewRequestWithContext(contextOf(), c.method, tokenPath, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.media)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: status %d, want %d", name, w.Code, c.want)
		}
	}
}

func TestCOM71AnotherUsersBrowserGetsNothing(t *testing.T) {
	foreign := true
	s := New(Options{Own: func(_, _ net.Addr) bool { return !foreign }})
	ticket, _, _ := s.Ticket()
	body := fmt.Sprintf(`{"ticket": %q}`, ticket)
	if r := call(s, "POST", tokenPath, body); r.StatusCode != http.StatusForbidden || strings.Contains(text(t, r), "token\"") {
		t.Errorf("another user: status %d", r.StatusCode)
	}
	foreign = false
	if !s.Holds(token(t, call(s, "POST", tokenPath, body))) { // the try has not used it up
		t.Error("the user's own browser is refused")
	}
}

// contextOf is that of a connection to the daemon's usual address.
func contextOf() context.Context {
	return context.WithValue(context.Background(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7433}))
}

func TestCOM77AReportIsLookedAtOnceAndSoonAsAPageApart(t *testing.T) {
	now := time.Unix(1e9, 0)
	s := New(Options{Now: func() time.Time { return now }, Own: own})
	at := s.Show([]byte("<p>report"))
	if !strings.HasPrefix(at, Path) || len(at) < 64 {
		t.Fatalf("at %q", at)
	}
	for method, want := range map[string]int{"HEAD": http.StatusOK, "POST": http.StatusMethodNotAllowed} { // neither uses it up
		if r := call(s, method, at, ""); r.StatusCode != want {
			t.Errorf("%s: got %d; want %d", method, r.StatusCode, want)
		}
	}
	r := call(s, "GET", at, "")
	if got := text(t, r); r.StatusCode != http.StatusOK || got != "<p>report" {
		t.Errorf("got %d %q; want 200, %q", r.StatusCode, got, "<p>report")
	}
	rules := strings.Split(r.Header.Get("Content-Security-Policy"), "; ")
	for _, want := range []string{"sandbox allow-scripts", "default-src 'none'", "frame-ancestors 'self'"} {
		if !slices.Contains(rules, want) {
			t.Errorf("the policy %q lacks %q", rules, want)
		}
	}
	if r := call(s, "GET", at, ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("the second time: %d", r.StatusCode)
	}
	late := s.Show(nil)
	now = now.Add(ReportLife)
	if r := call(s, "GET", late, ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("too late: %d", r.StatusCode)
	}
	first := s.Show(nil)
	for range ReportsMax {
		s.Show(nil)
	}
	if r := call(s, "GET", first, ""); r.StatusCode != http.StatusNotFound {
		t.Errorf("the oldest of too many: %d", r.StatusCode)
	}
}
