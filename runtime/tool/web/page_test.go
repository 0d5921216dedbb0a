package web_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/tool/web"
)

var update = flag.Bool("update", false, "write the texts of the pages as they are now")

// served reads a body of a kind with web_fetch.
func served(t *testing.T, body, kind string, args map[string]any) string {
	t.Helper()
	n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{kind}
		fmt.Fprint(w, body)
	})}
	args["url"] = "http://public.test/a/b"
	got := called(t, options(n.guard(t)), web.FetchName, args)
	if got.Failed {
		t.Errorf("failed: %s", got.Text)
	}
	return got.Text
}

func TestTOL74APageIsShownAsText(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("testdata", "*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("got %q, %v; want some pages", pages, err)
	}
	for _, name := range pages {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got := served(t, string(b), "text/html; charset=utf-8", map[string]any{"links": strings.Contains(name, "links")})
		golden := strings.TrimSuffix(name, ".html") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTOL74TheLinksComeBeforeATextWhoseEndMayBeCut(t *testing.T) {
	var body strings.Builder
	for i := range 100 {
		fmt.Fprintf(&body, "<p>word <a href='/%d/%s'>link</a></p>", i, strings.Repeat("x", 200))
	}
	got := served(t, body.String(), "text/html", map[string]any{"links": true})
	links, text := strings.Index(got, "/0/x"), strings.Index(got, "word link")
	if links < 0 || links > text || text > 9<<10 || !strings.Contains(got[:text], " more]") {
		t.Errorf("links at %d, text at %d: %.300s", links, text, got)
	}
}

func TestTOL74AMarkStandsBeforeItsWords(t *testing.T) {
	for body, want := range map[string]string{
		"<title>T</title><h1><img src=logo></h1><p>words":                                                                          "# T\n\nwords",
		"<title>T</title><p>words<h2><svg><title>Logo</title></svg></h2><p>x":                                                      "# T\n\nwords\n\nx",
		"<p><b>Height:</b>&nbsp;2&nbsp;<i>m</i>&emsp;<b>\u3000</b>wide</p>":                                                        "Height: 2 m wide",
		"<p>words<svg><title>Logo</title></svg></p>":                                                                               "words",
		"<p>words<h2><div>About</div></h2><p>x":                                                                                    "words\n\n## About\n\nx",
		"<ul><li><p>one</p><p>more</p></li><li><div>two</div></li></ul>":                                                           "- one\nmore\n- two",
		"<table><tr><th><p>one</p></th><th> <div><p>two</p></div></th><tr><td>1</td><td><p>2</p><p hidden>3</p></td></tr></table>": "one | two\n1 | 2",
		"<pre><div>one</div><div>  two</div></pre>":                                                                                "```\none\n  two\n```",
	} {
		if got := served(t, body, "text/html", map[string]any{}); !strings.HasSuffix(got, "\n\n"+want) || strings.Count(got, "\n\n") != strings.Count(want, "\n\n")+1 {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

func TestTOL74LinksAreRelativeToTheBase(t *testing.T) {
	for base, want := range map[string]string{
		"/docs/v2/": "http://public.test/docs/v2/next", "https://other.test/x": "https://other.test/next", "": "http://public.test/a/next", "::": "http://public.test/a/next",
	} {
		got := served(t, `<head><base target=_top><base href="`+base+`"></head><p><a href="next">more</a></p>`, "text/html", map[string]any{"links": true})
		if !strings.Contains(got, "- more: "+want+"\n") {
			t.Errorf("base %q: %q, want %s in it", base, got, want)
		}
	}
}

func TestTOL74TheWritingIsFound(t *testing.T) {
	for name, c := range map[string]struct{ body, kind, want string }{
		"the header says it":  {"<p>caf\xe9</p>", "text/html; charset=iso-8859-1", "café"},
		"the page says it":    {"<html><head><meta charset=gbk></head><p>\xc4\xe3\xba\xc3</p>", "text/html", "你好"},
		"an older form":       {`<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>` + "\x93\xfa\x96{</p>", "text/html", "日本"},
		"XML says it":         {"<?xml version='1.0' encoding='iso-8859-2'?>\n<a>\xb1</a>", "application/xml", "<a>ą</a>"},
		"XML is overruled":    {"<?xml version='1.0' encoding='iso-8859-2'?>\n<a>\xb1</a>", "application/xml; charset=iso-8859-1", "<a>±</a>"},
		"XHTML says it":       {"<?xml version=\"1.0\" encoding=\"gb2312\"?><html><body><p>\xc4\xe3\xba\xc3</p></body></html>", "application/xhtml+xml", "你好"},
		"a false declaration": {"<?xml version='1.0' encoding='utf-16'?><a>größer</a>", "text/xml", "größer"},
		"a page's own first":  {"<?xml version='1.0' encoding='utf-8'?><html><head><meta charset=gbk></head><p>\xc4\xe3\xba\xc3</p>", "text/html", "你好"},
		"its first bytes say": {"\xff\xfeh\x00i\x00", "text/plain", "hi"},
		"nobody says it":      {"<p>größer</p>", "text/html", "größer"},
		"its end says it":     {"<p>" + strings.Repeat("plain words ", 100) + "größer</p>", "text/html", "größer"},
		"JSON never says it":  {`{"a": "` + strings.Repeat("plain words ", 100) + `größer"}`, "application/json", "größer"},
		"its last one":        {"caf\u00e9", "text/plain", "café"},
		"cut in its last one": {strings.Repeat("ä", 100) + "\xc3", "text/plain", "ää\ufffd"},
		"another, in its end": {strings.Repeat("plain words ", 100) + "gr\xf6\xdfer", "text/plain", "größer"},
		"a page of ASCII":     {"<html><head><meta charset=iso-2022-jp></head><p>\x1b$BF|K\\\x1b(B</p>", "text/html", "日本"},
		"no UTF-8":            {"gr\xf6\xdfer", "text/plain", "größer"},
		"a text about it":     {"Write <meta charset=gbk> at the top: größer", "text/markdown", "größer"},
		"JSON about it":       {`{"a": "<meta charset=gbk>größer"}`, "application/json", "größer"},
		"a false name":        {"plain words", "text/plain; charset=none-such", "plain words"},
	} {
		if got := served(t, c.body, c.kind, map[string]any{}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q in it", name, got, c.want)
		}
	}
}

func TestTOL74AnEncodingThatWasNotAskedForIsDescribed(t *testing.T) {
	for _, c := range []struct {
		status  int
		codings []string
		want    string
		hidden  bool
	}{
		{200, []string{"br"}, `[not readable: 9 bytes in the content encoding "br", which web_fetch has not asked for]`, true},
		{200, []string{"x-gzip", "deflate"}, `encoding "x-gzip, deflate"`, true},
		{404, []string{"zstd"}, `HTTP 404 Not Found`, true},
		{404, []string{"zstd"}, `encoding "zstd"`, true},
		{200, []string{"Identity"}, "something", false},
		{200, []string{""}, "something", false},
	} {
		n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header()["Content-Encoding"] = c.codings
			w.WriteHeader(c.status)
			fmt.Fprint(w, "something")
		})}
		if got := fetched(t, n, "http://public.test/"); !strings.Contains(got.Text, c.want) || strings.Contains(got.Text, "something") == c.hidden || got.Failed != (c.status >= 400) {
			t.Errorf("%d %q: got %+v, want %q in it", c.status, c.codings, got, c.want)
		}
	}
}

func TestTOL74OtherKindsAreShownOrDescribed(t *testing.T) {
	for name, c := range map[string]struct{ body, kind, want string }{
		"JSON":            {`{"a": 1}`, "application/json", `{"a": 1}`},
		"problem":         {`{"title": "no"}`, "application/problem+json", `{"title": "no"}`},
		"Markdown":        {"# Title\n\ntext", "text/markdown; charset=utf-8", "# Title\n\ntext"},
		"no kind, a page": {"<!DOCTYPE html><p>words</p>", "", "words"},
		"a picture":       {"\x89PNG\r\n\x1a\n0000", "image/png", "not text: 12 bytes of image/png"},
		"called text":     {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc", "text/plain", "not text: 13 bytes of application/x-gzip"},
		"a wide text":     {"w\x00o\x00", "text/plain; charset=utf-16le", "wo"},
		"bytes":           {"\x00\x01\x02\x03", "application/octet-stream", "not text: 4 bytes"},
		"hidden text":     {"a\U000e0100\ufe01\U000e01efb\u061c\u200f\u2061\u206a\u3164\u115f\u180ec\U0001d173d", "text/plain; charset=utf-8", "abcd"},
		"seen signs":      {"\u0645\u06cc\u200c\u062e \u0600\u0661 👩\u200d🔬 é", "text/plain; charset=utf-8", "\u0645\u06cc\u200c\u062e \u0600\u0661 👩\u200d🔬 é"},
		"hidden signs":    {"a\u200bb\u202ec\U000e0041d", "text/plain; charset=utf-8", "abcd"},
		"controls":        {"a\x1b[31mb\x07\rc\td\x7f", "text/plain; charset=utf-8", "a[31mbc\td"},
		"too deep":        {strings.Repeat("<div>", 2000) + "words<script>no()</script>", "text/html", "words"},
		"deep, a script":  {strings.Repeat("<div>", 2000) + "<script>no()</script><style>no()</style>words", "text/html", "words"},
		"a kind unheard":  {"plain words", "application/octet-stream", "plain words"},
		"nothing":         {"", "text/html", "empty"},
		"only a script":   {"<script>x()</script>", "text/html", "empty"},
	} {
		if got := served(t, c.body, c.kind, map[string]any{}); !strings.Contains(got, c.want) || strings.Contains(got, "no()") {
			t.Errorf("%s: %q, want %q in it", name, got, c.want)
		}
	}
}

func TestTOL73AnErrorOfTheServerIsAFailure(t *testing.T) {
	for status, invalid := range map[int]bool{404: true, 403: true, 410: true, 429: false, 500: false, 503: false} {
		n := &network{dns: [][]string{{"93.184.216.34"}}, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(status)
			fmt.Fprint(w, "the reason")
		})}
		got := fetched(t, n, "http://public.test/")
		if !got.Failed || got.Invalid != invalid || !strings.Contains(got.Text, fmt.Sprint(status)) || !strings.Contains(got.Text, "the reason") || !strings.Contains(got.Text, "wait: 30") {
			t.Errorf("%d: got %+v; want Failed, Invalid %t, the status, its reason and the wait", status, got, invalid)
		}
	}
}

// What a page marks as its main part is read, unless that is a scrap of it.
func TestTOL74TheMainPartIsRead(t *testing.T) {
	long, menu := strings.Repeat("The story goes on. ", 20), "<p>Menu.</p>"
	others := "<p>" + strings.Repeat("All the rest of the page. ", 100) + "</p>"
	for name, c := range map[string]struct {
		body string
		menu bool // what is around it is read, too
	}{
		"main":             {menu + "<main>" + long + "</main>", false},
		"a role":           {menu + "<div role=main>" + long + "</div>", false},
		"the only article": {menu + "<article>" + long + "</article>", false},
		"main and article": {menu + "<main>" + long + "<article>x</article></main>", false},
		"two articles":     {menu + "<article>" + long + "</article><article>" + long + "</article>", true},
		"a short main":     {menu + "<main>The story goes on.</main>", true},
		"a scrap of it":    {menu + "<main>" + long + "</main>" + others + others, true},
		"an empty main":    {menu + "<main></main><article>" + long + "</article>", false},
		"nothing marked":   {menu + "<div>" + long + "</div>", true},
	} {
		got := served(t, c.body, "text/html", map[string]any{})
		if !strings.Contains(got, "The story goes on.") || strings.Contains(got, "Menu.") != c.menu {
			t.Errorf("%s: %.120q; want the story, and the menu: %t", name, got, c.menu)
		}
	}
}

// The list of links says how many it leaves out.
func TestTOL74LinksThatAreLeftOutAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		links, bytes int // and how long each address is
		same         bool
		shown, more  int
	}{
		"all":             {60, 30, false, 60, 0},
		"one too many":    {61, 30, false, 60, 1},
		"many too many":   {100, 30, false, 60, 40},
		"too many bytes":  {50, 280, false, 28, 22}, // of 289 each
		"both":            {70, 280, false, 28, 42},
		"too long":        {2, 301, false, 0, 0},
		"no longer":       {2, 300, false, 2, 0},
		"an address once": {5, 30, true, 1, 0},
	} {
		var body strings.Builder
		for n := range c.links {
			if c.same {
				n = 0
			}
			address := fmt.Sprintf("http://public.test/%03d/", n)
			fmt.Fprintf(&body, "<a href='%s'>link</a>", address+strings.Repeat("x", c.bytes-len(address)))
		}
		got := served(t, body.String(), "text/html", map[string]any{"links": true})
		more := ""
		if c.more > 0 {
			more = fmt.Sprintf("[%d more]", c.more)
		}
		if shown := strings.Count(got, "- link: http"); shown != c.shown || strings.Contains(got, " more]") != (more != "") || !strings.Contains(got, more) {
			t.Errorf("%s: %d are shown; want %d, and %q: %.300s", name, shown, c.shown, more, got[max(0, len(got)-300):])
		}
	}
}
