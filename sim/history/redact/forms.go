package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// formsOf returns the ways in which a secret may be written, each once. One that is
// shorter than the secret, or than what can be told from words, is left out.
func formsOf(secret string) []string {
	var list []string
	add := func(forms ...string) {
		for _, f := range forms {
			if len(f) >= min(len(secret), BytesMin) && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	add(secret)
	if trimmed := strings.TrimRight(secret, "="); len(trimmed) >= BytesMin {
		add(trimmed)
	}
	once := inJSON(secret)
	add(once, inJSON(once), plainJSON(secret), inner(strconv.Quote(secret)), inner(strconv.QuoteToASCII(secret)))
	add(hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))))
	add(inURL(secret, true, upperHex), inURL(secret, false, upperHex), inURL(secret, true, lowerHex), inURL(secret, false, lowerHex))
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		add(alphabet.EncodeToString([]byte(secret)))
		for before := range 3 {
			add(within64(alphabet, secret, before))
		}
	}
	return list
}

func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

// inJSON is the text as Go writes it within JSON.
func inJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil { // a text always encodes
		return text
	}
	return inner(string(quoted))
}

// plainJSON is the text as most others write it within JSON: with no letter of HTML
// escaped.
func plainJSON(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(inJSON(text))
}

// within64 is the part of a Base64 text that the secret alone decides, where
// 0 to 2 bytes stand before it in the group of three that it begins in.
func within64(alphabet *base64.Encoding, secret string, before int) string {
	text := alphabet.EncodeToString([]byte(strings.Repeat("x", before) + secret))
	first := (before*8 + 5) / 6
	last := (before + len(secret)) * 8 / 6
	if part := text[first:last]; len(part) >= BytesMin {
		return part
	}
	return ""
}

const (
	upperHex = "0123456789ABCDEF"
	lowerHex = "0123456789abcdef"
)

// inURL is the text as a URL writes it, a blank as + where it is part of a query.
func inURL(text string, query bool, digits string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.~", c) >= 0:
			b.WriteByte(c)
		case c == ' ' && query:
			b.WriteByte('+')
		case !query && strings.IndexByte("$&+=:@", c) >= 0: // stand for themselves in a path
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}
