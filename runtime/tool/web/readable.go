package web

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/html/charset"
)

// readable makes text of a body, and says what kind it is (TOL-74).
func readable(b []byte, contentType string, at *url.URL, links bool) (text, what string) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" || kind == "application/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(b))
	}
	switch {
	case len(b) == 0:
		return "", kind
	case kind == "text/html" || kind == "application/xhtml+xml":
		return page(decoded(b, contentType), at, links), kind
	case textual(kind):
		return visible(string(decoded(b, contentType))), kind
	}
	return fmt.Sprintf("[not text: %d bytes of %s; web_fetch shows HTML, plain text, Markdown, JSON and XML]", len(b), kind), kind
}

// textual reports whether what is of a kind can be read as it is.
func textual(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return kind != "image/svg+xml"
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/x-ndjson", "application/jsonl", "application/rss", "application/markdown":
		return true
	}
	return false
}

// decoded is a body in UTF-8. How it is written is said by its first bytes, by the
// header, or by the page itself, in this order; what says nothing and is no UTF-8 is
// Windows-1252, as browsers have it.
func decoded(b []byte, contentType string) []byte {
	r, err := charset.NewReader(bytes.NewReader(b), contentType)
	if err != nil {
		return b
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return b
	}
	return text
}

// visible drops the characters that a person does not see and a model reads.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u200b', r == '\ufeff', r == '\u00ad', r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u2069',
			r >= 0xE0000 && r <= 0xE007F:
			return -1
		case r == '\r' || unicode.IsControl(r) && r != '\n' && r != '\t':
			return -1
		}
		return r
	}, text)
}
