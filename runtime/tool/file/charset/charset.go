// Package charset tells how a text is written.
package charset

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf "golang.org/x/text/encoding/unicode"
)

// Charset is how the characters of a text are written.
type Charset struct {
	Name     string // empty: UTF-8
	Encoding encoding.Encoding
}

// Of guesses how the text is written of which sample is the beginning; whole says
// that it is all of it. It is false where it is no text (TOL-13).
func Of(sample []byte, whole bool) (Charset, bool) {
	switch {
	case bytes.HasPrefix(sample, []byte{0xFF, 0xFE}), wide(sample, 1):
		return utf16(sample, utf.LittleEndian)
	case bytes.HasPrefix(sample, []byte{0xFE, 0xFF}), wide(sample, 0):
		return utf16(sample, utf.BigEndian)
	case bytes.IndexByte(sample, 0) >= 0:
		return Charset{}, false
	}
	long, broken, controls := census(sample, whole)
	switch {
	case controls > len(sample)/10:
		return Charset{}, false
	case broken <= long: // with a bad character here and there
		return Charset{Encoding: utf.UTF8BOM}, true
	case gbk(sample):
		return Charset{"GBK", simplifiedchinese.GB18030}, true
	case latin(sample):
		return Charset{"Windows-1252 (Latin-1)", charmap.Windows1252}, true
	}
	return Charset{Encoding: utf.UTF8BOM}, broken <= len(sample)/10
}

// census counts in a sample the characters of UTF-8 beyond ASCII, the bytes that are none,
// and the control characters that a text does not have. The last character may be cut
// where the sample is not the whole.
func census(sample []byte, whole bool) (long, broken, controls int) {
	for rest := sample; len(rest) > 0 && (whole || utf8.FullRune(rest)); {
		r, size := utf8.DecodeRune(rest)
		switch {
		case size > 1:
			long++
		case r == utf8.RuneError:
			broken++
		case r < 0x80 && unicode.IsControl(r) && !unicode.IsSpace(r):
			controls++
		}
		rest = rest[size:]
	}
	return long, broken, controls
}

// wide reports whether every second byte of most of a sample is zero, and no other is: the
// ASCII characters of a UTF-16 text. Zero is at the even or at the odd ones.
func wide(sample []byte, zero int) bool {
	zeros := 0
	for i, b := range sample {
		switch {
		case b != 0:
		case i%2 != zero:
			return false
		default:
			zeros++
		}
	}
	return zeros > 0 && zeros >= len(sample)/4
}

// utf16 is a UTF-16 text, unless much of it is no character.
func utf16(sample []byte, order utf.Endianness) (Charset, bool) {
	name := "UTF-16LE"
	if order == utf.BigEndian {
		name = "UTF-16BE"
	}
	c := Charset{name, utf.UTF16(order, utf.UseBOM)}
	text, err := c.Encoding.NewDecoder().Bytes(sample[:len(sample)&^1])
	if err != nil || len(sample) < 2 {
		return Charset{}, false
	}
	bad, all := 0, 0
	for _, r := range string(text) {
		if all++; r == utf8.RuneError || !unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			bad++
		}
	}
	return c, bad <= all/10
}

// gbk reports whether the bytes of a sample that are not ASCII come in pairs as GBK has
// them, most of them common characters or punctuation: rows A1 to A9 and B0 to D7 of GB 2312.
func gbk(sample []byte) bool {
	pairs, common := 0, 0
	for i := 0; i < len(sample); i++ {
		lead := sample[i]
		if lead < 0x80 {
			continue
		}
		if i++; i == len(sample) {
			break // the pair may be cut
		}
		trail := sample[i]
		if lead == 0x80 || lead == 0xFF || trail < 0x40 || trail == 0x7F || trail == 0xFF {
			return false
		}
		pairs++
		if trail >= 0xA1 && (lead >= 0xA1 && lead <= 0xA9 || lead >= 0xB0 && lead <= 0xD7) {
			common++
		}
	}
	return pairs > 0 && common*3 >= pairs*2
}

// latin reports whether a sample reads as a text of a western language: ASCII for the most
// part, letters beside it, and few signs.
func latin(sample []byte) bool {
	letters, signs := 0, 0
	for _, b := range sample {
		switch {
		case b == 0x81 || b == 0x8D || b == 0x8F || b == 0x90 || b == 0x9D:
			return false // nothing has these codes
		case b >= 0xC0 && b != 0xD7 && b != 0xF7:
			letters++
		case b >= 0x80:
			signs++
		}
	}
	plain := len(sample) - letters - signs
	return signs*3 <= plain+letters && letters+signs <= max(plain, 4)
}
