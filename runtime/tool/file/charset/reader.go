package charset

import (
	"bufio"
	"io"
	"slices"
	"unicode/utf8"

	utf "golang.org/x/text/encoding/unicode"
)

// Reader reads a text as UTF-8.
type Reader struct {
	Charset Charset // of what has been read

	sample  []byte        // what Charset was guessed by, if that is ASCII, which decides nothing
	from    *bufio.Reader // the text, as long as that is ASCII
	decoded io.Reader     // what follows; nil: it has not begun
}

// laterBytes is how much of a text is looked at from its first character beyond ASCII on.
const laterBytes = 8 << 10

// Reader returns a reader of the text from, which begins with the sample by which c was guessed. If
// that is ASCII, the first other characters decide between the encodings that begin so.
func (c Charset) Reader(from io.Reader, sample []byte) *Reader {
	ascii := slices.IndexFunc(sample, beyond)
	if c.Name != "" || ascii >= 0 && ascii <= len(sample)-utf8.UTFMax { // and not just a cut character
		return &Reader{Charset: c, decoded: c.Encoding.NewDecoder().Reader(from)}
	}
	if ascii >= 0 {
		sample = sample[:ascii]
	}
	return &Reader{Charset: c, sample: sample, from: bufio.NewReaderSize(from, laterBytes)}
}

func beyond(b byte) bool { return b >= utf8.RuneSelf }

// Read implements [io.Reader].
func (r *Reader) Read(p []byte) (int, error) {
	if r.decoded != nil {
		return r.decoded.Read(p)
	}
	ahead, err := r.from.Peek(laterBytes)
	n := slices.IndexFunc(ahead, beyond)
	switch {
	case len(ahead) == 0:
		return 0, err
	case n < 0:
		n = len(ahead)
	case n == 0:
		if len(r.sample) > 0 {
			r.Charset.Encoding = utf.UTF8 // a byte-order mark further on is none
		}
		if c, ok := Of(slices.Concat(r.sample, ahead), err == io.EOF); ok && (c.Name == nameGBK || c.Name == nameLatin) {
			r.Charset = c
		}
		r.decoded = r.Charset.Encoding.NewDecoder().Reader(r.from)
		return r.decoded.Read(p)
	}
	n, _ = r.from.Read(p[:min(n, len(p))]) // it has them
	return n, nil
}
