// Package charset detects the encoding of a text.
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

// Charset is an encoding of characters.
type Charset struct {
	Name     string // empty: UTF-8
	Encoding encoding.Encoding
}

// The names of the encodings whose texts may begin with any ASCII text, besides UTF-8.
const (
	nameGBK   = "GBK"
	nameLatin = "Windows-1252 (Latin-1)"
)

// Of guesses the encoding of the text that begins with sample; whole says that sample is all of
// it. It returns false if it is not a text (TOL-13).
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
	case broken <= long: // with a few bad characters
		return Charset{Encoding: utf.UTF8BOM}, true
	case gbk(sample):
		return Charset{nameGBK, simplifiedchinese.GB18030}, true
	case latin(sample):
		return Charset{nameLatin, charmap.Windows1252}, true
	}
	return Charset{Encoding: utf.UTF8BOM}, broken <= len(sample)/10
}

// census counts in a sample the UTF-8 characters beyond ASCII (long), the bytes that are not
// UTF-8 (broken), and the control characters that texts do not have. Unless the sample is whole,
// its last character may be cut.
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

// wide reports whether a sample looks like ASCII characters in UTF-16: at least a quarter of its
// bytes are zero, all of them at even (zero is 0) or at odd (zero is 1) indexes.
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

// utf16 returns UTF-16, or false if much of the sample is not characters.
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

// latin reports whether a sample looks like a text in a western language: mostly ASCII, some
// other letters, and few signs.
func latin(sample []byte) bool {
	letters, signs := 0, 0
	for _, b := range sample {
		switch {
		case b == 0x81 || b == 0x8D || b == 0x8F || b == 0x90 || b == 0x9D:
			return false // these codes are not assigned
		case b >= 0xC0 && b != 0xD7 && b != 0xF7:
			letters++
		case b >= 0x80:
			signs++
		}
	}
	plain := len(sample) - letters - signs
	return signs*3 <= plain+letters && letters+signs <= max(plain, 4)
}
