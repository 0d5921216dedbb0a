package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"shelly/runtime/tool/web"
)

// searched asks a server of a kind on loopback.
func searched(t *testing.T, kind, key string, handler http.HandlerFunc, args map[string]any) (text string, failed, invalid bool) {
	t.Helper()
	server := httptest.NewServer(handler)
	defer server.Close()
	o := web.Options{Timeout: 30 * time.Second, BytesMax: 1 << 16, Search: web.Search{Kind: kind, URL: server.URL + "/base/", Key: key}}
	got := called(t, o, web.SearchName, args)
	return got.Text, got.Failed, got.Invalid
}

func TestTOL75SearXNGIsAsked(t *testing.T) {
	got, failed, _ := searched(t, web.SearXNG, "", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/search" || r.URL.Query().Get("q") != "tide & time" || r.URL.Query().Get("format") != "json" {
			t.Errorf("asked %s", r.URL)
		}
		fmt.Fprint(w, `{"query": "x", "results": [
			{"title": "Tide <b>tables</b>", "url": "https://tides.example/", "content": "High\n water &amp; low\u202e", "score": 1.5},
			{"title": "Second", "url": "https://two.example/?a=1&region=eu&copy=2", "content": ""},
			{"title": "Third", "url": "https://three.example/"}]}`)
	}, map[string]any{"query": " tide & time ", "count": 2})
	want := "1. Tide tables\n   https://tides.example/\n   High water & low\n2. Second\n   https://two.example/?a=1&region=eu&copy=2"
	if failed || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTOL75BraveIsAskedWithItsKey(t *testing.T) {
	got, failed, _ := searched(t, web.Brave, "secret", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/res/v1/web/search" || r.URL.Query().Get("count") != "5" || r.Header.Get("X-Subscription-Token") != "secret" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		fmt.Fprint(w, `{"web": {"results": [{"title": "One", "url": "https://one.example/", "description": "About <strong>one</strong>."}]}}`)
	}, map[string]any{"query": "one", "count": 0})
	if want := "1. One\n   https://one.example/\n   About one."; failed || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTOL75AServerThatFailsIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		kind    string
		status  int
		body    string
		want    string
		invalid bool
	}{
		"JSON is not allowed": {web.SearXNG, 403, "", "search.formats", true},
		"a bad key":           {web.Brave, 401, "", "key_from", true},
		"too often":           {web.Brave, 429, "", "HTTP 429", false},
		"a page":              {web.SearXNG, 200, "<html>", "tools.web.search.url", true},
		"half an answer":      {web.SearXNG, 200, `{"results": [`, "cannot be read", false},
		"a redirect":          {web.SearXNG, 302, "", "HTTP 302", true},
		"a flood":             {web.SearXNG, 200, strings.Repeat(" ", 70_000), "longer than", false},
	} {
		got, failed, invalid := searched(t, c.kind, "secret", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}, map[string]any{"query": "x"})
		if !failed || invalid != c.invalid || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, invalid %v", name, got, invalid)
		}
	}
	if got, failed, _ := searched(t, web.SearXNG, "", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) }, map[string]any{"query": "x"}); failed || !strings.Contains(got, "nothing found") {
		t.Errorf("nothing: %q", got)
	}
}

func TestTOL76WhatIsMissingIsNamed(t *testing.T) {
	for want, s := range map[string]web.Search{
		"tools.web.search.url is missing": {Kind: web.SearXNG},
		"key_from":                        {Kind: web.Brave},
		"https only":                      {Kind: web.Brave, URL: "http://search.example", Key: "k"},
		"wants an address":                {Kind: web.SearXNG, URL: "search.example"},
		"not a kind":                      {Kind: "other", URL: "http://x"},
	} {
		if _, err := web.Tools(web.Options{Timeout: 1, BytesMax: 1, Search: s}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", s, err, want)
		}
	}
}

func TestTOL70NothingIsOfferedByDefault(t *testing.T) {
	if tools, err := web.Tools(web.Options{}); err != nil || len(tools) != 0 {
		t.Errorf("without a word of the operator: %v, %v", tools, err)
	}
}
