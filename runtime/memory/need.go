package memory

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Need is what is searched for by keyword in texts that are not indexed, such as the lines of
// HISTORY.md. It is not safe for concurrent use.
type Need struct {
	words []string // its keywords in scripts with spaces, sorted, each once
	pairs []string // its keywords in scripts without spaces, each once
	whole []byte   // the whole need in lower case

	splitter *splitter
	known    map[string][]int // which of words a piece of text has, for pieces seen before
	met      []int            // by word: the number of the last text that had it
	texts    int              // how many texts were searched
	small    []byte           // the text in lower case
}

// pieceBytesMax is the length of the longest piece of text that is remembered: a longer one hardly
// ever comes again.
const pieceBytesMax = 64

// NewNeed returns a need to search any number of texts for.
func NewNeed(text string) *Need {
	n := &Need{whole: []byte(strings.ToLower(norm.NFKC.String(strings.TrimSpace(text)))), splitter: newSplitter(), known: map[string][]int{}}
	list := terms(text, asked)
	slices.Sort(list)
	for _, term := range slices.Compact(list) {
		if strings.ContainsFunc(term, unspaced) {
			n.pairs = append(n.pairs, term)
		} else {
			n.words = append(n.words, term)
		}
	}
	n.met = make([]int, len(n.words))
	return n
}

// Meets returns how many of the need's keywords (MEM-5) a text has, or one more than all of them if
// it contains the need itself, ignoring case. 0 means that the text does not meet the need.
func (n *Need) Meets(text string) int {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	n.texts++
	if len(n.whole) > 0 && bytes.Contains(n.lower(text), n.whole) {
		return len(n.words) + len(n.pairs) + 1
	}
	met := 0
	for _, p := range n.pairs {
		if strings.Contains(text, p) {
			met++
		}
	}
	if len(n.words) == 0 {
		return met
	}
	for rest := text; rest != ""; {
		var piece string
		piece, rest = cutPiece(rest)
		met += n.note(n.of(piece))
	}
	return met
}

// lower returns a text in lower case. It is valid until the next call.
func (n *Need) lower(text string) []byte {
	n.small = n.small[:0]
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			n.small = append(n.small, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r < 0x3000 || r > 0x9fff { // in between, no letter has case
			n.small = utf8.AppendRune(n.small, unicode.ToLower(r))
		} else {
			n.small = append(n.small, text[i:i+size]...)
		}
		i += size
	}
	return n.small
}

// cutPiece cuts a text after its first piece. No word extends beyond a space or past a character
// that is always a word alone, so a text has exactly the words of its pieces. Texts are searched
// piece by piece because most pieces have been seen before.
func cutPiece(text string) (piece, rest string) {
	start := -1
	for i, r := range text {
		switch apart := r == ' ' || r == '\t' || r >= 0x3000 && alone(r); {
		case apart && start >= 0:
			return text[start:i], text[i:]
		case !apart && start < 0:
			start = i
		}
	}
	if start < 0 {
		return "", ""
	}
	return text[start:], ""
}

// alone reports whether a character of East Asia is never part of a longer word.
func alone(r rune) bool {
	return r <= 0x3002 || '\u4e00' <= r && r <= '\u9fff' || unicode.In(r, unicode.Han, unicode.Hiragana)
}

// of returns which of the need's words a piece has.
func (n *Need) of(piece string) []int {
	if has, ok := n.known[piece]; ok {
		return has
	}
	var has []int
	for _, t := range n.splitter.terms(piece, indexed) {
		if at, ok := slices.BinarySearch(n.words, t); ok {
			has = append(has, at)
		}
	}
	if len(piece) <= pieceBytesMax {
		if len(n.known) == knownMax {
			clear(n.known)
		}
		n.known[strings.Clone(piece)] = has // so as not to keep the whole text
	}
	return has
}

// note records that the text has these words, and returns how many of them are new.
func (n *Need) note(words []int) int {
	fresh := 0
	for _, at := range words {
		if n.met[at] != n.texts {
			n.met[at] = n.texts
			fresh++
		}
	}
	return fresh
}
