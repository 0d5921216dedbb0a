package redact

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// partBytesMin is how much of a secret is at least looked for at the end of a text that is cut.
const partBytesMin = 3

// ReplaceCut is Replace for a part of a longer text, which was cut where it begins, where it
// ends, or at both: what a cut has left of a secret is replaced too.
func (r *Redactor) ReplaceCut(text string, begin, end bool) string {
	text = r.Replace(text)
	if begin {
		text = r.cutFrom(text)
	}
	if end {
		text = r.cutTo(text)
	}
	return text
}

// cutFrom replaces the end of a secret that a text begins with, as it reads that shows most of it; before
// it may stand what is left of an escape.
func (r *Redactor) cutFrom(text string) string {
	near := text[:min(len(text), r.reach())]
	end, of := 0, 0
	for skip := range min(restBytesMax, len(near)) {
		rest := near[:skip]
		for v := range readings(near[skip:]) {
			n, secret := r.left(func(f string, n int) bool {
				return bytes.HasPrefix(v.text, []byte(f[len(f)-n:])) && (skip == 0 || isRest(rest, f[:len(f)-n], depthMax))
			})
			if n > 0 && skip+v.spans[n-1].end > end {
				end, of = skip+v.spans[n-1].end, secret
			}
		}
		if strings.IndexByte(escapeBytes, near[skip]) < 0 {
			break
		}
	}
	if end == 0 {
		return text
	}
	r.replaced[of]++
	return r.placeholder(of, end) + text[end:]
}

// cutTo replaces the beginning of a secret that a text ends with, as it reads that shows most of it; after
// it may stand the beginning of an escape.
func (r *Redactor) cutTo(text string) string {
	near := text[max(0, len(text)-r.reach()):]
	begin, of := len(near), 0
	for v := range readings(near) {
		for _, shown := range [][]byte{v.text, v.text[:entityBegun(v.text)]} {
			n, secret := r.left(func(f string, n int) bool { return bytes.HasSuffix(shown, []byte(f[:n])) })
			if n > 0 && v.spans[len(shown)-n].begin < begin {
				begin, of = v.spans[len(shown)-n].begin, secret
			}
		}
	}
	if begin == len(near) {
		return text
	}
	r.replaced[of]++
	return text[:len(text)-len(near)+begin] + r.placeholder(of, len(near)-begin)
}

// reach is how far from a cut a secret may begin or end.
func (r *Redactor) reach() int {
	longest := 0
	for _, f := range r.forms {
		longest = max(longest, len(f.text))
	}
	return restBytesMax * (longest + 1) // each byte may be escaped
}

// entityBegun is where an HTML entity begins that the end of a text cuts off, or the text's length.
func entityBegun(text []byte) int {
	from := max(0, len(text)-entityBytesMax)
	i := bytes.LastIndexByte(text[from:], '&')
	if i < 0 || bytes.ContainsFunc(text[from+i+1:], func(c rune) bool { return c == ';' || !strings.ContainsRune(escapeBytes, c) }) {
		return len(text)
	}
	return from + i
}

// restBytesMax is how long what is left of an escape may be: one of \U0001f600 that is escaped itself.
const restBytesMax = 24

// entityBytesMax is the length of the longest HTML entity that is read.
const entityBytesMax = len("&#x10FFFF;")

// escapeBytes are those of which an escape consists after its first.
const escapeBytes = lettersAndDigits + `#;\`

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isRest reports whether a text is what is left of an escape, or of one that is escaped itself, of the last
// character of what stood before the cut, which is part of a secret.
func isRest(text, before string, depth int) bool {
	if c, _ := utf8.DecodeLastRuneInString(before); isRestOfName(text) && !strings.ContainsRune(lettersAndDigits, c) {
		return true
	}
	for _, e := range escapesOf(before) {
		if len(text) < len(e) && strings.HasSuffix(e, text) {
			return true
		}
		if first, ok := strings.CutSuffix(text, e[1:]); ok && first != "" && depth > 1 && isRest(first, e[:1], depth-1) {
			return true
		}
	}
	return false
}

// isRestOfName reports whether a text may be what is left of an entity that has a name: there are 2,000 of them.
func isRestOfName(text string) bool {
	name, ok := strings.CutSuffix(text, ";")
	return ok && len(text) < entityBytesMax && strings.Trim(name, lettersAndDigits) == ""
}

// escapesOf are the escapes of the last character, and of the last byte, of a text. Of entities with a name they are
// those that may be escaped again.
func escapesOf(text string) []string {
	if text == "" {
		return nil
	}
	last := text[len(text)-1]
	c, _ := utf8.DecodeLastRuneInString(text)
	list := []string{
		fmt.Sprintf(`%%%02x`, last), fmt.Sprintf(`%%%02X`, last), fmt.Sprintf(`\x%02x`, last), fmt.Sprintf(`\x%02X`, last),
		fmt.Sprintf(`\u%04x`, c), fmt.Sprintf(`\u%04X`, c), fmt.Sprintf(`\U%08x`, c), fmt.Sprintf(`\U%08X`, c),
		fmt.Sprintf(`&#%d;`, c), fmt.Sprintf(`&#x%x;`, c), fmt.Sprintf(`&#x%X;`, c),
	}
	if high, low := utf16.EncodeRune(c); high != utf8.RuneError {
		list = append(list, fmt.Sprintf(`\u%04x\u%04x`, high, low), fmt.Sprintf(`\u%04X\u%04X`, high, low))
	}
	if i := strings.IndexByte("\a\b\f\n\r\t\v\x1b\x00", last); i >= 0 {
		list = append(list, `\`+"abfnrtve0"[i:i+1])
	}
	for name, of := range map[string]rune{"&amp;": '&', "&lt;": '<', "&gt;": '>', "&quot;": '"'} { // order-free: at most one
		if of == c {
			list = append(list, name)
		}
	}
	return list
}

// left is the most that is there of a form that was cut, in bytes, and the index of its secret.
func (r *Redactor) left(there func(form string, n int) bool) (most, secret int) {
	for _, f := range r.forms {
		for n := len(f.text) - 1; n >= max(partBytesMin, most+1); n-- {
			if there(f.text, n) {
				most, secret = n, f.secret
			}
		}
	}
	return most, secret
}
