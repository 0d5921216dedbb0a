package text

import (
	"bytes"
	"unicode/utf8"
)

// escapes holds, for each ASCII character, its escape in a JSON string as encoding/json writes it,
// or "" if the character stands for itself.
var escapes = func() (list [utf8.RuneSelf]string) {
	const hex = "0123456789abcdef"
	for c := range list {
		switch {
		case c < ' ', c == '<', c == '>', c == '&':
			list[c] = `\u00` + string([]byte{hex[c>>4], hex[c&15]})
		}
	}
	for c, escape := range map[byte]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`} {
		list[c] = escape
	}
	return list
}()

// encoding/json escapes Unicode's two line separators too. Their encodings differ only in the last
// byte.
const (
	separator = "\u2028"
	separated = `\u202`
)

// appendQuoted appends a text as it is in a JSON string, without the quotes.
func appendQuoted(dst, text []byte) []byte {
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < utf8.RuneSelf {
			if escape := escapes[c]; escape != "" {
				dst = append(append(dst, text[from:i]...), escape...)
				from = i + 1
			}
		} else if digit := separates(text[i:]); digit != 0 {
			dst = append(append(append(dst, text[from:i]...), separated...), digit)
			i += len(separator) - 1
			from = i + 1
		}
	}
	return append(dst, text[from:]...)
}

// separates returns the last digit of the escape of the line separator that text begins with, or 0.
func separates(text []byte) byte {
	if len(text) >= len(separator) && text[0] == separator[0] && text[1] == separator[1] && text[2]&^1 == separator[2] {
		return '8' + text[2]&1
	}
	return 0
}

// unquote returns the text of a JSON string without its quotes, in buf or, if nothing is escaped,
// in itself. It returns false if appendQuoted would not reproduce the string.
func unquote(buf, in []byte) (text []byte, ok bool) {
	if !utf8.Valid(in) {
		return nil, false
	}
	for i := 0; i < len(in); {
		c := in[i]
		if c == '\\' {
			decoded, used := unescape(in[i:])
			if used == 0 {
				return nil, false
			}
			buf, i = append(buf, decoded...), i+used
			continue
		}
		n := plainRun(in[i:])
		if n == 0 {
			return nil, false
		}
		buf, i = append(buf, in[i:i+n]...), i+n
	}
	return buf, true
}

// plainRun returns the length of the part at the start of a string that needs no escapes.
func plainRun(in []byte) int {
	for i, c := range in {
		if c < utf8.RuneSelf && escapes[c] != "" || c == separator[0] && separates(in[i:]) != 0 {
			return i
		}
	}
	return len(in)
}

// unescape decodes the escape at the start of in, and returns its length: 0 if it is not an escape
// that appendQuoted writes.
func unescape(in []byte) (decoded string, used int) {
	if len(in) < 2 {
		return "", 0
	}
	if in[1] != 'u' {
		if at := bytes.IndexByte([]byte(`"\bfnrt`), in[1]); at >= 0 {
			return "\"\\\b\f\n\r\t"[at : at+1], 2
		}
		return "", 0
	}
	const long = len(`\u0000`)
	if len(in) < long {
		return "", 0
	}
	if string(in[:len(separated)]) == separated && in[long-1]&^1 == '8' {
		return []string{"\u2028", "\u2029"}[in[long-1]&1], long
	}
	high, low := hexDigit(in[long-2]), hexDigit(in[long-1])
	if c := high<<4 | low; high >= 0 && low >= 0 && c < utf8.RuneSelf && escapes[c] == string(in[:long]) {
		return string(rune(c)), long
	}
	return "", 0
}

// hexDigit returns the value of a lower-case hex digit, or -1.
func hexDigit(c byte) int { return bytes.IndexByte([]byte("0123456789abcdef"), c) }
