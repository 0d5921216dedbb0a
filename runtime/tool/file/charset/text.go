package charset

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/text/encoding"
	utf "golang.org/x/text/encoding/unicode"
)

// mark is the byte-order mark that a text may begin with: U+FEFF.
const mark = "\uFEFF"

// Text is a whole text and its encoding, so that a changed one can be written in the same
// way.
type Text struct {
	Text    string // UTF-8 without the mark; if CRLF, with only line feeds
	Charset Charset
	Marked  bool // a byte-order mark stands before it
	CRLF    bool // all lines end with a carriage return and a line feed
}

// ErrNotText is the error for bytes that are not a text, or that would change if they were
// decoded and encoded again.
var ErrNotText = errors.New("it is not a text that could be written back unchanged")

// Decode reads a whole text. Invalid bytes in UTF-8 stay as they are.
func Decode(raw []byte) (Text, error) {
	c, ok := Of(raw, true)
	if !ok && len(raw) > 0 {
		return Text{}, ErrNotText
	}
	t := Text{Charset: c}
	text := string(raw)
	if c.Name != "" {
		decoded, err := c.exact().NewDecoder().Bytes(raw)
		if err != nil {
			return Text{}, ErrNotText
		}
		text = string(decoded)
	}
	text, t.Marked = strings.CutPrefix(text, mark)
	if feeds := strings.Count(text, "\n"); feeds > 0 && strings.Count(text, "\r\n") == feeds {
		t.CRLF, text = true, strings.ReplaceAll(text, "\r\n", "\n")
	}
	t.Text = text
	if again, err := t.Encode(text); err != nil || !bytes.Equal(again, raw) {
		return Text{}, ErrNotText
	}
	return t, nil
}

// Encode writes another text in the way in which t is written. It fails if t's encoding lacks
// one of the characters.
func (t Text) Encode(text string) ([]byte, error) {
	if t.CRLF {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	if t.Marked {
		text = mark + text
	}
	if t.Charset.Name == "" {
		return []byte(text), nil
	}
	return t.Charset.exact().NewEncoder().Bytes([]byte(text))
}

// exact returns the encoding that treats the byte-order mark as a character.
func (c Charset) exact() encoding.Encoding {
	switch c.Name {
	case "UTF-16LE":
		return utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)
	case "UTF-16BE":
		return utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
	default:
		return c.Encoding
	}
}
