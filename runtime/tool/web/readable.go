package web

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"

	"shelly/fsm/wording"
)

// readable returns a body as text, and its kind (TOL-74). Of a page it gives up once ctx is done.
func readable(ctx context.Context, b []byte, contentType string, at *url.URL, links bool) (text, what string) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" || kind == "application/octet-stream" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(b))
	}
	switch {
	case len(b) == 0:
		return "", kind
	case kind == "text/html" || kind == "application/xhtml+xml":
		return page(ctx, decoded(b, contentType, true), at, links), kind
	case textual(kind):
		text := decoded(b, contentType, false)
		if bytes.IndexByte(text[:min(len(text), previewBytes)], 0) < 0 {
			return visible(string(text)), kind
		}
		kind = http.DetectContentType(b) // some servers call text whatever they do not know
	}
	return fmt.Sprintf("[not text: %s of %s; web_fetch shows HTML, plain text, Markdown, JSON and XML]", wording.Count(len(b), "byte"), kind), kind
}

// textual reports whether a body of a kind can be read as it is.
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

// decoded returns a body in UTF-8. Its encoding comes from its first bytes, the header, or the
// page itself, in this order; without any of them, a body that is not UTF-8 is taken for
// Windows-1252, as browsers do. A tag in another text than a page says nothing about that text.
func decoded(b []byte, contentType string, page bool) []byte {
	head := b[:min(len(b), previewBytes)]
	if isUTF8(b) {
		// The library takes what it looks at for Windows-1252 if all of it but the last character is ASCII.
		head = []byte(strings.ToValidUTF8(string(b[:min(len(b), previewBytes-len(beyond))]), "") + beyond)
	}
	said := declaration.FindSubmatch(head)
	if !page {
		head = bytes.ReplaceAll(head, []byte("<"), []byte(" "))
	}
	e, name, certain := charset.DetermineEncoding(head, contentType)
	if said != nil && !certain && (name == "utf-8" || name == "windows-1252") {
		if own, name := charset.Lookup(string(said[1])); own != nil && !strings.HasPrefix(name, "utf-16") {
			e = own
		}
	}
	if e == encoding.Nop {
		return b
	}
	text, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return b
	}
	return text
}

// declaration is how XML names its encoding, which the library does not look at. One that can be read
// like this is not in UTF-16, whatever it says.
var declaration = regexp.MustCompile(`^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

const (
	previewBytes = 1024 // of a text that the library looks at
	beyond       = "é." // a character beyond ASCII that is not the last
)

// isUTF8 reports whether a text is UTF-8. Its last character may be cut if it has others beyond ASCII.
func isUTF8(b []byte) bool {
	if utf8.Valid(b) {
		return true
	}
	for i := 1; i < utf8.UTFMax && i < len(b); i++ {
		if end := b[len(b)-i:]; utf8.RuneStart(end[0]) {
			whole := b[:len(b)-i]
			return !utf8.FullRune(end) && utf8.Valid(whole) && utf8.RuneCount(whole) < len(whole)
		}
	}
	return false
}

// visible drops the characters that a person does not see but a model reads, among them those in which
// a text can be hidden in another: tags and variation selectors. Joiners stay, since scripts need them.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r <= '~', r == '\n', r == '\t', r == '\u200c', r == '\u200d', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			return r
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		return r
	}, text)
}
